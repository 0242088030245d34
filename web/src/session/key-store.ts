// Keys of sessions, in IndexedDB: each can sign, and none can be read, by this app either.

export interface StoredKey {
  readonly apiKey: string
  readonly key: CryptoKey
  /** Unix milliseconds; null where it has no end. */
  readonly expiresAt: number | null
}

const STORE = 'keys'

function opened(): Promise<IDBDatabase> {
  const request = indexedDB.open('bourse', 1)
  request.onupgradeneeded = () => request.result.createObjectStore(STORE)
  return answerOf(request)
}

function answerOf<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

async function inStore<Result>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<Result>) {
  const database = await opened()
  try {
    return await answerOf(act(database.transaction(STORE, mode).objectStore(STORE)))
  } finally {
    database.close()
  }
}

export const readKey = (name: string): Promise<StoredKey | undefined> =>
  inStore<StoredKey | undefined>('readonly', (store) => store.get(name))

export const writeKey = (name: string, key: StoredKey): Promise<IDBValidKey> =>
  inStore('readwrite', (store) => store.put(key, name))

export const deleteKey = (name: string): Promise<undefined> => inStore('readwrite', (store) => store.delete(name))
