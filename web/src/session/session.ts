// A session: the API key of the connected wallet in this browser, for one product. It is there again after a reload, and
// another account of the wallet has another one.
import { effect, type Signal, signal } from '@preact/signals'
import { setup } from '../app-state.ts'
import { explain } from '../lib/explain.ts'
import { toast } from '../ui/toast.tsx'
import { address } from '../wallet/connection.ts'
import { deleteKey, readKey, type StoredKey, writeKey } from './key-store.ts'

export interface Session extends StoredKey {
  readonly address: string
}

export interface SessionState {
  readonly session: Signal<Session | null>
  /** A wallet's signature is waited for. */
  readonly busy: Signal<boolean>
  readonly failure: Signal<string | null>
  signIn(): Promise<void>
  signOut(): Promise<void>
}

/**
 * The sessions of a product; `make` asks the wallet for a signature and the venue for a key, and `end` has the venue end it.
 * Without `end` the key is forgotten here alone.
 */
export function makeSession(
  product: string,
  make: () => Promise<StoredKey>,
  end: () => Promise<unknown> = async () => {},
): SessionState {
  const session = signal<Session | null>(null)
  const busy = signal(false)
  const failure = signal<string | null>(null)
  const nameOf = (account: string) => `${product}:${setup.peek()?.chainId}:${account}`

  effect(() => {
    const account = address.value
    session.value = null
    failure.value = null
    if (account && setup.value) void restore(account)
  })

  async function restore(account: string): Promise<void> {
    const stored = await readKey(nameOf(account)).catch(() => undefined)
    if (!stored || address.peek() !== account || session.peek()) return
    if (stored.expiresAt !== null && stored.expiresAt <= Date.now()) return void deleteKey(nameOf(account))
    session.value = { ...stored, address: account }
  }

  async function signIn(): Promise<void> {
    const account = address.peek()
    if (!account || busy.peek()) return
    busy.value = true
    failure.value = null
    try {
      const made = await make()
      await writeKey(nameOf(account), made)
      if (address.peek() === account) session.value = { ...made, address: account }
    } catch (error) {
      failure.value = explain(error)
    }
    busy.value = false
  }

  async function signOut(): Promise<void> {
    const account = session.peek()?.address
    if (!account || busy.peek()) return
    busy.value = true
    try {
      await end()
      await forget(account)
    } catch (error) {
      // What the venue has not ended can still trade: its key stays here, so that it can be ended.
      toast('bad', explain(error))
    }
    busy.value = false
  }

  async function forget(account: string): Promise<void> {
    if (session.peek()?.address === account) session.value = null
    await deleteKey(nameOf(account))
  }

  return { session, busy, failure, signIn, signOut }
}
