// A send of One Click, from its first attempt until it is known what became of it. Whatever is lost on the way, it happens once.
import { hasReason, UnknownOutcome, VenueError } from '@bourse/sdk/stock'
import type { ReadonlySignal } from '@preact/signals'
import { failureWords } from '../strings.ts'
import { type Keyed, ofKey, remembered } from './earlier-sends.ts'
import { NotConfirmed } from './explain.ts'
import { pause, pauseUnlessChanged } from './pause.ts'
import { type SendState, whyFailed } from './send-state.ts'

/** A client of a key, of which another one can be had that makes a request so often at most. */
interface Repeating<Self> extends Keyed {
  with(options: { readonly attempts: number }): Self
}

type Send<By> = (by: By, options: { readonly idempotencyKey: string }) => Promise<SendState>
/** The same under the key of one intent. */
type Attempt<By> = (by: By) => Promise<SendState>
type At<Step> = (step: Step) => void

const REPEATED_MS = 60_000
const REPEAT_AFTER_MS = 2000
/** As long as a wallet's transaction is waited for. */
const FOLLOWED_MS = 180_000
/** Each question counts for the limit of the key, which the user needs for what he does meanwhile. */
const ASK_AFTER_MS = [1000, 1000, 2000, 3000, 5000, 8000, 12_000] as const
const LONGEST_MS = 15_000

/** Sends, until the venue has it. Throws when it has failed already. */
export const sendOnce = <By extends Repeating<By>>(
  client: By,
  send: Send<By>,
  at: At<'sending' | 'repeating'>,
): Promise<void> => underOneKey(client, send, (attempt) => firstAnswer(client, attempt, at))

/** The same of what is no send, so that its key tells nothing later: has the venue store something. */
export async function storeOnce<By extends Repeating<By>>(
  client: By,
  store: Send<By>,
  at: At<'sending' | 'repeating'>,
): Promise<void> {
  const options = { idempotencyKey: crypto.randomUUID() }
  await firstAnswer(client, (by) => store(by, options), at)
}

/**
 * Sends, until the chain has it. Only the venue is asked: the wallet may be on any chain. It is asked less and less often, and soon
 * when `changes` grows.
 */
export const sendUntilMined = <By extends Repeating<By>>(
  client: By,
  send: Send<By>,
  at: At<'sending' | 'repeating' | 'mining'>,
  changes: ReadonlySignal<number>,
): Promise<void> => underOneKey(client, send, (attempt) => untilMined(client, attempt, at, changes))

/** A page that is loaded anew meanwhile asks by the key what became of it. */
async function underOneKey<By extends Repeating<By>>(
  client: By,
  send: Send<By>,
  follow: (attempt: Attempt<By>) => Promise<unknown>,
): Promise<void> {
  const idempotencyKey = crypto.randomUUID()
  await remembered(ofKey(client), idempotencyKey, () => follow((by) => send(by, { idempotencyKey })))
}

async function untilMined<By extends Repeating<By>>(
  client: By,
  attempt: Attempt<By>,
  at: At<'sending' | 'repeating' | 'mining'>,
  changes: ReadonlySignal<number>,
): Promise<void> {
  let seen = changes.peek()
  let { status } = await firstAnswer(client, attempt, at)
  const endMs = performance.now() + FOLLOWED_MS
  for (let quiet = 0; status === 'Pending'; ) {
    const leftMs = endMs - performance.now()
    if (leftMs <= 0) throw new NotConfirmed()
    at('mining')
    await pauseUnlessChanged(Math.min(ASK_AFTER_MS[quiet] ?? LONGEST_MS, leftMs), changes, seen)
    // A change may be told a moment before the venue knows what it came of.
    quiet = changes.peek() === seen ? quiet + 1 : 0
    seen = changes.peek()
    status = await statusOf(client, attempt)
  }
}

/**
 * The venue's first answer. Each round is a call of its own, which does not know that one before it was lost: it may be refused since
 * the session has ended or the venue is overloaded, and that says nothing of what the lost one has stored.
 */
async function firstAnswer<By extends Repeating<By>>(
  client: By,
  attempt: Attempt<By>,
  at: At<'sending' | 'repeating'>,
): Promise<SendState> {
  at('sending')
  let lost: UnknownOutcome | null = null
  let endMs = Number.POSITIVE_INFINITY
  for (let by = client; ; by = once(client)) {
    const answer = await answered(attempt, by)
    if (!('error' in answer)) return notFailed(answer)
    const { error } = answer
    if (error instanceof UnknownOutcome) lost = error
    if (!lost) throw error
    endMs = Math.min(endMs, performance.now() + REPEATED_MS)
    if (performance.now() >= endMs || !mayPass(error)) throw lost
    at('repeating')
    await pause(Math.max(REPEAT_AFTER_MS, askedToWaitMs(error)))
  }
}

/** How a send stands that the venue has: the same key asks. */
async function statusOf<By extends Repeating<By>>(client: By, attempt: Attempt<By>): Promise<SendState['status']> {
  const answer = await answered(attempt, once(client))
  if (!('error' in answer)) return notFailed(answer).status
  const { error } = answer
  // Of a send that is stored this is final: when its turn came it could not be done any more.
  if (hasReason(error, 'would_revert')) throw error
  if (!mayPass(error)) throw new NotConfirmed()
  await pause(askedToWaitMs(error))
  return 'Pending'
}

/** Repetitions are made here, by the clock; the library's own would make one of them last for minutes. */
const once = <By extends Repeating<By>>(client: By): By => client.with({ attempts: 1 })

const answered = <By>(attempt: Attempt<By>, by: By): Promise<SendState | { readonly error: unknown }> =>
  attempt(by).catch((error: unknown) => ({ error }))

const mayPass = (error: unknown): boolean =>
  error instanceof UnknownOutcome || (error instanceof VenueError && error.retryable)

const askedToWaitMs = (error: unknown): number => (error instanceof VenueError ? (error.retryAfterMs ?? 0) : 0)

function notFailed(state: SendState): SendState {
  if (state.status === 'Failed') throw new Error(failureWords.failedOnChain(whyFailed(state)))
  return state
}
