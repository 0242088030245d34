// A send of One Click, from its first attempt until it is known what became of it. Whatever is lost on the way, it happens once.
import { hasReason, UnknownOutcome, VenueError } from '@bourse/sdk/stock'
import { failureWords } from '../strings.ts'
import { pause } from './pause.ts'

/** What the venue answers to a send, of either product. */
export interface SendState {
  readonly status: 'Pending' | 'Confirmed' | 'Failed'
  readonly failure: string | null
}

type Send = (options: { readonly idempotencyKey: string }) => Promise<SendState>
type At<Step> = (step: Step) => void

const REPEATS = 30
const REPEAT_AFTER_MS = 2000
/** As long as a wallet's transaction is waited for. */
const ASKED = 180
const ASK_AFTER_MS = 1000

/** Sends, until the venue has it. Throws when it has failed already. */
export async function sendOnce(send: Send, at: At<'sending' | 'repeating'>): Promise<void> {
  await firstAnswer(send, crypto.randomUUID(), at)
}

/** Sends, until the chain has it. Only the venue is asked: the wallet may be on any chain. */
export async function sendUntilMined(send: Send, at: At<'sending' | 'repeating' | 'mining'>): Promise<void> {
  const idempotencyKey = crypto.randomUUID()
  let { status } = await firstAnswer(send, idempotencyKey, at)
  for (let asked = 0; status === 'Pending'; asked += 1) {
    if (asked === ASKED) throw new Error(failureWords.notConfirmed)
    at('mining')
    await pause(ASK_AFTER_MS)
    status = await statusOf(send, idempotencyKey)
  }
}

/**
 * The venue's first answer. Each round is a call of its own, which does not know that one before it was lost: it may be refused since
 * the session has ended or the venue is overloaded, and that says nothing of what the lost one has stored.
 */
async function firstAnswer(send: Send, idempotencyKey: string, at: At<'sending' | 'repeating'>): Promise<SendState> {
  at('sending')
  let lost: UnknownOutcome | null = null
  for (let attempt = 1; ; attempt += 1) {
    const answer = await answered(send, idempotencyKey)
    if (!('error' in answer)) return notFailed(answer)
    const { error } = answer
    if (error instanceof UnknownOutcome) lost = error
    if (!lost) throw error
    if (attempt === REPEATS || !mayPass(error)) throw lost
    at('repeating')
    await pause(Math.max(REPEAT_AFTER_MS, error instanceof VenueError ? (error.retryAfterMs ?? 0) : 0))
  }
}

/** How a send stands that the venue has: the same key asks. */
async function statusOf(send: Send, idempotencyKey: string): Promise<SendState['status']> {
  const answer = await answered(send, idempotencyKey)
  if (!('error' in answer)) return notFailed(answer).status
  const { error } = answer
  // Of a send that is stored this is final: when its turn came it could not be done any more.
  if (hasReason(error, 'would_revert')) throw error
  if (!mayPass(error)) throw new Error(failureWords.notConfirmed)
  return 'Pending'
}

const answered = (send: Send, idempotencyKey: string): Promise<SendState | { readonly error: unknown }> =>
  send({ idempotencyKey }).catch((error: unknown) => ({ error }))

const mayPass = (error: unknown): boolean =>
  error instanceof UnknownOutcome || (error instanceof VenueError && error.retryable)

function notFailed(state: SendState): SendState {
  if (state.status === 'Failed') throw new Error(failureWords.failedOnChain(state.failure))
  return state
}
