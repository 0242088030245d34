// A session: the API key of the connected wallet in this browser, for one product. It is there again after a reload, and
// another account of the wallet has another one.
import { effect, type Signal, signal } from '@preact/signals'
import { setup } from '../app-state.ts'
import { explain } from '../lib/explain.ts'
import { walletWords } from '../strings.ts'
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
  /** The venue has accepted this key, or has not: of one that it does not know any more the session ends, and the page asks to sign in. */
  noteAnswer(apiKey: string, isAccepted: boolean): void
}

/**
 * A key is given up when it is refused again after so long, and was not accepted meanwhile: a new one may be unknown to a process
 * of the venue for a second, and a request that was under way for too long is refused like one of a key that is gone.
 */
const REFUSED_MS = 2000

/** What a browser's timers can hold; who leaves a page open for so long is told by the venue. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

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
  /** When the present key was refused first, by a clock that nobody sets; null while it is accepted. */
  let refusedAtMs: number | null = null
  const nameOf = (account: string) => `${product}:${setup.peek()?.chainId}:${account}`

  effect(() => {
    const account = address.value
    session.value = null
    failure.value = null
    if (account && setup.value) void restore(account)
  })

  effect(() => {
    const held = session.value
    refusedAtMs = null
    if (!held || held.expiresAt === null) return
    const leftMs = Math.max(0, held.expiresAt - Date.now())
    if (leftMs > LONGEST_TIMER_MS) return
    const timer = setTimeout(() => void ended(held), leftMs)
    return () => clearTimeout(timer)
  })

  async function restore(account: string): Promise<void> {
    const stored = await readKey(nameOf(account)).catch(() => undefined)
    if (!stored || address.peek() !== account || session.peek()) return
    if (stored.expiresAt !== null && stored.expiresAt <= Date.now()) return void deleteKey(nameOf(account))
    failure.value = null
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
    const held = session.peek()
    if (!held || busy.peek()) return
    busy.value = true
    try {
      await end()
      await forget(held)
    } catch (error) {
      // What the venue has not ended can still trade: its key stays here, so that it can be ended.
      toast('bad', explain(error))
    }
    busy.value = false
  }

  function noteAnswer(apiKey: string, isAccepted: boolean): void {
    const held = session.peek()
    if (held?.apiKey !== apiKey) return
    if (isAccepted) refusedAtMs = null
    else if (refusedAtMs === null) refusedAtMs = performance.now()
    else if (performance.now() - refusedAtMs >= REFUSED_MS) void ended(held)
  }

  async function ended(held: Session): Promise<void> {
    if (session.peek()?.apiKey !== held.apiKey) return
    failure.value = walletWords.sessionEnded
    await forget(held)
    await restore(held.address)
  }

  async function forget({ address: account, apiKey }: Session): Promise<void> {
    if (session.peek()?.apiKey === apiKey) session.value = null
    // Another page of this browser may have signed in anew since: that key stays.
    const stored = await readKey(nameOf(account)).catch(() => undefined)
    if (stored?.apiKey === apiKey) await deleteKey(nameOf(account))
  }

  return { session, busy, failure, signIn, signOut, noteAnswer }
}
