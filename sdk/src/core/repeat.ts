import type { AnswerInfo, Client } from './client.ts'
import { ConnectionFailed, messageOf, SendUnconfirmed, UnknownOutcome, type VenueError } from './errors.ts'
import type { PreparedRequest } from './request.ts'

/** What one attempt of a request came to. */
export type Attempt =
  | { readonly kind: 'done'; readonly data: unknown; readonly info: AnswerInfo }
  /** `skewMs`: how far the venue's clock is before ours. */
  | { readonly kind: 'refused'; readonly error: VenueError; readonly skewMs: number | null }
  /** No answer of the venue: the request may have been carried out, or is still being. */
  | { readonly kind: 'lost'; readonly error: unknown }

type Done = Extract<Attempt, { kind: 'done' }>

const DEFAULT_ATTEMPTS = 4
const DEFAULT_MAX_WAIT_MS = 60_000
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000
/** Far below the windows of both products, above what a network and a Date header blur. */
const SKEW_MS = 2000
/** After these the venue itself does not know what it has done. */
const OPEN_REASONS: readonly (string | null)[] = ['internal_error', 'transaction_unknown', 'send_unconfirmed']

/** Makes a request until its outcome is known, as often as nothing can happen twice by it. */
export async function carriedOut(
  client: Client,
  request: PreparedRequest,
  attempt: () => Promise<Attempt>,
  signal: AbortSignal | undefined,
): Promise<Done> {
  const { attempts = DEFAULT_ATTEMPTS, maxWaitMs = DEFAULT_MAX_WAIT_MS } = client.options
  const outcome = new Outcome(request)
  let isSignedAnew = false
  for (let nth = 1; ; ) {
    const one = await outcome.of(attempt)
    if (one.kind === 'done') return one
    if (one.kind === 'refused' && !isSignedAnew && maySignAnew(client, request, one)) {
      isSignedAnew = true
      continue
    }
    outcome.note(one)
    const pauseMs = pauseAfter(one, nth)
    if (nth++ >= attempts || pauseMs > maxWaitMs || !outcome.mayRepeat(one)) throw outcome.failure(one)
    if (one.kind === 'refused' && one.error.status === 429) client.options.onLimited?.(pauseMs)
    await outcome.of(() => client.clock.sleep(pauseMs, signal))
  }
}

/** What is known of a request after its attempts so far. */
class Outcome {
  readonly #request: PreparedRequest
  /** Whether an attempt got no answer: it may still be under way, so that a later refusal does not settle it. */
  #isLost = false

  constructor(request: PreparedRequest) {
    this.#request = request
  }

  /** Whoever gives up after a write was lost does not know its outcome. */
  async of<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw this.#isLost && this.#request.kind !== 'read' ? this.#unknown(error) : error
    }
  }

  note(one: Attempt): void {
    if (one.kind === 'lost') this.#isLost = true
  }

  mayRepeat(one: Attempt): boolean {
    if (one.kind === 'refused') {
      // It was counted and not looked at.
      if (one.error.status === 429) return true
      return this.#request.kind !== 'once' && one.error.status >= 500
    }
    return this.#request.kind !== 'once'
  }

  failure(one: Exclude<Attempt, Done>): unknown {
    if (this.#request.kind === 'read') {
      return one.kind === 'refused' ? one.error : connectionFailed(one.error)
    }
    if (this.#isLost) return this.#unknown(one.error)
    if (one.kind === 'refused' && isOpen(one.error)) {
      return new SendUnconfirmed(operationOf(this.#request), this.#request.idempotencyKey, one.error)
    }
    return one.error
  }

  #unknown(cause: unknown): UnknownOutcome {
    return new UnknownOutcome(operationOf(this.#request), this.#request.idempotencyKey, cause)
  }
}

const operationOf = ({ method, uri }: PreparedRequest): string => `${method} ${uri.split('?')[0]}`

const isOpen = ({ status, reason }: VenueError): boolean =>
  OPEN_REASONS.includes(reason) || (status >= 500 && reason === null)

function connectionFailed(error: unknown): unknown {
  const isGivenUp = error instanceof DOMException && error.name === 'AbortError'
  return isGivenUp ? error : new ConnectionFailed(`the venue did not answer: ${messageOf(error)}`, { cause: error })
}

function pauseAfter(one: Attempt, nth: number): number {
  const asked = one.kind === 'refused' ? one.error.retryAfterMs : null
  const backoff = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (nth - 1))
  return asked ?? backoff * (0.5 + Math.random() / 2)
}

/**
 * Whether an authentication that failed may succeed with another signature: by the venue's clock, where ours is another one; and
 * where a browser has sent the same bytes twice, as it does by itself when a connection breaks, so that their nonce was spent.
 * The attempt that was refused did nothing, but the bytes before it may have.
 */
function maySignAnew(client: Client, request: PreparedRequest, one: Extract<Attempt, { kind: 'refused' }>): boolean {
  const { code } = one.error
  if (request.access === 'none' || (code !== 401 && code !== 40101)) return false
  return correctClock(client, one.skewMs) || (client.options.signer !== undefined && request.kind !== 'once')
}

function correctClock({ state }: Client, skewMs: number | null): boolean {
  if (skewMs === null || Math.abs(skewMs - state.offsetMs) < SKEW_MS) return false
  state.offsetMs = skewMs
  state.lastMs = 0
  return true
}
