import { createHash } from 'node:crypto'
import { inTransaction, type Sql, type Tx } from '../db/pool.ts'
import { AppError } from '../lib/errors.ts'
import {
  dropRecords,
  findRecord,
  findRecords,
  finishRecord,
  type IdempotencyRecord,
  type RecordKey,
  takeRecords,
} from './idempotency-store.ts'
import { httpReasons } from './reasons.ts'

/** An `Idempotency-Key` with the request it came with. */
export interface Idempotency {
  readonly key: string
  /** What makes two requests the same: method, path, query and the exact bytes of the body. */
  readonly requestHash: string
  /** True once the answer is that of an earlier request with this key. */
  replayed: boolean
}

/** What an `Idempotency-Key` may be. */
export const KEY_FORM = /^[\x21-\x7e]{1,255}$/
export const KEY_FORM_WORDS = '1 to 255 visible ASCII characters'

/**
 * Reads the header of a request. Throws `request_invalid` when it is not 1 to 255 visible ASCII characters.
 *
 * @param uri path and query below the product's prefix; the order of the query's parameters does not count
 */
export function readIdempotency(
  header: string | string[] | undefined,
  request: { readonly method: string; readonly uri: string; readonly rawBody: Buffer },
): Idempotency | null {
  if (header === undefined) return null
  if (typeof header !== 'string' || !KEY_FORM.test(header)) {
    throw new AppError(httpReasons.request_invalid, `Idempotency-Key must be ${KEY_FORM_WORDS}`)
  }
  const [path, query = ''] = request.uri.split('?', 2)
  const sorted = query.split('&').sort().join('&')
  const hash = createHash('sha256').update(`${request.method}\n${path}?${sorted}\n`).update(request.rawBody)
  return { key: header, requestHash: hash.digest('hex'), replayed: false }
}

/** A key's request, with its `Idempotency-Key` if it has one. */
export interface KeyedRequest {
  readonly caller: { readonly keyId: string }
  readonly idempotency?: Idempotency | undefined
}

/** The record of an `Idempotency-Key`, or null. */
type FindRecord = (key: RecordKey) => Promise<IdempotencyRecord | null>

/** What a request stores, in two parts. */
export interface IdempotentWork<Prepared, Result> {
  /** Checks that may take long or ask the chain; nothing is stored here, and a repeated request skips it. */
  prepare(): Promise<Prepared>
  /** Stores everything in the one transaction and returns, as plain JSON, what the answer is rendered from. */
  store(tx: Tx, prepared: Prepared): Promise<Result>
}

/**
 * Stores what a request asks for, once for each `Idempotency-Key` of an API key: the record of the key is part of the same
 * transaction, so that either both are there or neither. A repeat of the request returns what the first one stored, and
 * waits for it when both come at once. Without the header every request stores anew. Throws `idempotency_key_reused` for
 * another request under the same key, and what `work` throws, of which nothing is kept.
 */
export function idempotent<Prepared, Result>(
  sql: Sql,
  chainId: number,
  request: KeyedRequest,
  work: IdempotentWork<Prepared, Result>,
): Promise<Result> {
  const find = (key: RecordKey) => findRecord(sql, key)
  return unlessRepeated(find, chainId, request, async () => {
    const prepared = await work.prepare()
    return () => inTransaction(sql, (tx) => storeOnce(tx, chainId, request, () => work.store(tx, prepared)))
  })
}

/**
 * Prepares and then stores a request, unless `find` finds an earlier one with its key: its result is the answer then. What `prepare`
 * resolves to must store the key's record with the rest, by `takeKeys` or as `idempotent`.
 */
export async function unlessRepeated<Result>(
  find: FindRecord,
  chainId: number,
  { caller, idempotency }: KeyedRequest,
  prepare: () => Promise<() => Promise<Result>>,
): Promise<Result> {
  if (!idempotency) return (await prepare())()
  const key = keyOf(chainId, caller, idempotency)
  const earlier = await replay<Result>(find, key, idempotency)
  if (earlier) return earlier.result
  let store: () => Promise<Result>
  try {
    store = await prepare()
  } catch (error) {
    // What the first request has stored meanwhile may be the very reason why a second one is refused.
    const meanwhile = await replay<Result>(find, key, idempotency)
    if (meanwhile) return meanwhile.result
    throw error
  }
  return store()
}

async function storeOnce<Result>(
  tx: Tx,
  chainId: number,
  request: KeyedRequest,
  store: () => Promise<Result>,
): Promise<Result> {
  const { caller, idempotency } = request
  if (!idempotency) return store()
  const earlier = (await takeKeys<KeyedRequest, Result>(tx, chainId, [request], () => null)).get(request)
  if (earlier) return earlier()
  const result = await store()
  await finishRecord(tx, keyOf(chainId, caller, idempotency), result)
  return result
}

/**
 * Takes the keys of requests that one transaction stores, none of them twice, each with the result it will have. Resolves to those
 * that came before: each gives the result of the first, or throws `idempotency_key_reused`.
 */
export async function takeKeys<Request extends KeyedRequest, Result>(
  tx: Tx,
  chainId: number,
  requests: readonly Request[],
  resultOf: (request: Request) => Result | null,
): Promise<Map<Request, () => Result>> {
  const keyed = requests.flatMap((request) => {
    const { caller, idempotency } = request
    return idempotency ? [{ request, idempotency, key: keyOf(chainId, caller, idempotency) }] : []
  })
  if (keyed.length === 0) return new Map()
  const taken = await takeRecords(
    tx,
    keyed.map(({ request, idempotency: { requestHash }, key }) => ({ ...key, requestHash, result: resultOf(request) })),
  )
  const free = new Set(taken.map(nameOf))
  const repeated = keyed.filter(({ key }) => !free.has(nameOf(key)))
  const earlier = new Map<Request, () => Result>()
  if (repeated.length === 0) return earlier
  const records = await findRecords(
    tx,
    repeated.map(({ key }) => key),
  )
  for (const [nth, { request, idempotency }] of repeated.entries()) {
    const record = records[nth]
    if (!record) throw new Error('an idempotency key is taken by a record that cannot be read')
    earlier.set(request, () => resultOfFirst<Result>(record, idempotency))
  }
  return earlier
}

/** Gives up the keys that the transaction has taken for requests of which it stores nothing after all. */
export async function giveUpKeys(tx: Tx, chainId: number, requests: readonly KeyedRequest[]): Promise<void> {
  const keys = requests.flatMap(({ caller, idempotency }) => (idempotency ? [keyOf(chainId, caller, idempotency)] : []))
  if (keys.length > 0) await dropRecords(tx, keys)
}

const keyOf = (chainId: number, { keyId }: KeyedRequest['caller'], { key }: Idempotency): RecordKey => ({
  chainId,
  apiKeyId: keyId,
  idempotencyKey: key,
})

/** A key holds no space. */
const nameOf = ({ apiKeyId, idempotencyKey }: RecordKey): string => `${apiKeyId} ${idempotencyKey}`

async function replay<Result>(
  find: FindRecord,
  key: RecordKey,
  idempotency: Idempotency,
): Promise<{ readonly result: Result } | null> {
  const record = await find(key)
  return record && { result: resultOfFirst<Result>(record, idempotency) }
}

function resultOfFirst<Result>(record: IdempotencyRecord, idempotency: Idempotency): Result {
  if (record.requestHash !== idempotency.requestHash) {
    const message =
      'this Idempotency-Key was used for another request: send the same method, path and body again, or a new key'
    throw new AppError(httpReasons.idempotency_key_reused, message)
  }
  idempotency.replayed = true
  return record.result as Result
}
