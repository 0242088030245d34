import type { AnswerInfo, Client } from './client.ts'
import { ConnectionFailed, messageOf, SendUnconfirmed, UnknownOutcome, VenueError } from './errors.ts'
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
const OPEN_REASONS: readonly (string | null)[] = [
  'internal_error',
  'transaction_unknown',
  'send_unconfirmed',
  'first_answer_unknown',
]

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
    if (one.kind === 'refused' && !isSignedAnew) {
      const cause = signsAnew(client, request, one)
      if (cause !== null) {
        isSignedAnew = true
        if (cause === 'spent') outcome.noteSpent()
        continue
      }
    }
    if (one.kind === 'refused' && (await isNonceSpent(client, request, one.error, signal))) outcome.noteLost()
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
  /** Whether the venue answered that it does not know, and no refusal since has settled it. */
  #isOpen = false
  /** Whether the bytes of an attempt may have arrived before it, of which only another signature tells. */
  #isSpent = false

  constructor(request: PreparedRequest) {
    this.#request = request
  }

  /** Whoever gives up a write after that does not know its outcome. */
  async of<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw this.#isUnknown ? this.#unknown(error) : error
    }
  }

  /** The nonce of an attempt was used: by the same bytes, unless another signature fails too. */
  noteSpent(): void {
    this.#isSpent = true
  }

  noteLost(): void {
    this.#isLost = true
  }

  note(one: Attempt): void {
    if (one.kind === 'lost') this.noteLost()
    if (one.kind !== 'refused') return
    if (this.#isSpent && !isUnauthenticated(one.error)) this.#isLost = true
    this.#isSpent = false
    if (isOpen(one.error)) this.#isOpen = true
    else if (isAfterLookUp(one.error)) this.#isOpen = false
  }

  mayRepeat(one: Attempt): boolean {
    if (one.kind === 'refused') {
      // It was counted and not looked at.
      if (one.error.status === 429) return true
      return this.#request.kind !== 'once' && (one.error.status >= 500 || isOpen(one.error))
    }
    return this.#request.kind !== 'once'
  }

  failure(one: Exclude<Attempt, Done>): unknown {
    if (this.#isUnknown) return this.#unknown(one.error)
    return one.kind === 'refused' ? one.error : connectionFailed(one.error)
  }

  get #isUnknown(): boolean {
    return this.#request.kind !== 'read' && (this.#isLost || this.#isOpen)
  }

  #unknown(cause: unknown): UnknownOutcome {
    const Class = this.#isLost ? UnknownOutcome : SendUnconfirmed
    return new Class(operationOf(this.#request), this.#request.idempotencyKey, cause)
  }
}

const operationOf = ({ method, uri }: PreparedRequest): string => `${method} ${uri.split('?')[0]}`

const isOpen = ({ status, reason }: VenueError): boolean =>
  OPEN_REASONS.includes(reason) || (status >= 500 && reason === null)

/** The stock API answers HTTP 400 to them as to every refusal. */
const isUnauthenticated = ({ code }: VenueError): boolean => code === 401 || code === 40101

/**
 * Whether the venue had looked for an earlier request under the key when it refused this one. Before that it turns away who may not
 * come in, who comes too often, and everybody while it is overloaded; of any other 5xx it cannot be told.
 */
const isAfterLookUp = (error: VenueError): boolean =>
  error.status < 500 && error.status !== 403 && error.status !== 429 && !isUnauthenticated(error)

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
 * Why an authentication that failed may succeed with another signature: by the venue's clock, where ours is another one; or since
 * the nonce was spent, where a browser has sent the same bytes twice, as it does by itself when a connection breaks. The attempt that
 * was refused did nothing, but the bytes before it may have.
 */
function signsAnew(
  client: Client,
  request: PreparedRequest,
  one: Extract<Attempt, { kind: 'refused' }>,
): 'clock' | 'spent' | null {
  if (request.access === 'none' || !isUnauthenticated(one.error)) return null
  if (correctClock(client, one.skewMs)) return 'clock'
  return client.options.signer !== undefined && request.kind !== 'once' ? 'spent' : null
}

/**
 * Whether a write that is made once may have been refused for its nonce alone, spent by the same bytes before it: not where the key
 * is refused of a read, too.
 */
async function isNonceSpent(
  client: Client,
  { kind, access }: PreparedRequest,
  error: VenueError,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { keyRead } = client.product
  if (!keyRead || kind !== 'once' || access === 'none' || !isUnauthenticated(error)) return false
  const isRefused = (failure: unknown) => failure instanceof VenueError && isUnauthenticated(failure)
  return client.call(keyRead, {}, signal ? { signal } : {}).then(
    () => true,
    (failure) => !isRefused(failure),
  )
}

function correctClock({ state }: Client, skewMs: number | null): boolean {
  if (skewMs === null || Math.abs(skewMs - state.offsetMs) < SKEW_MS) return false
  state.offsetMs = skewMs
  state.lastMs = 0
  return true
}
