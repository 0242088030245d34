import { answerOf, type Product } from './answer.ts'
import type { Signer } from './hmac.ts'
import { type Attempt, carriedOut } from './repeat.ts'
import { type CallSpec, preparedRequest } from './request.ts'

export interface CallOptions {
  readonly signal?: AbortSignal
  /** Under which a send happens once, however often it is made; one of its own when left out. */
  readonly idempotencyKey?: string
  /** Is told of the answer beside its data. */
  readonly onAnswer?: (answer: AnswerInfo) => void
}

export interface AnswerInfo {
  readonly status: number
  readonly requestId: string
  readonly headers: Headers
  /** The block that the data is of, where the venue says so. */
  readonly block: { readonly height: number; readonly timestamp: number } | null
}

export type Transport = (url: string, init: RequestInit) => Promise<Response>

/** The part of a WebSocket that a stream needs. */
export interface Socket {
  onopen: ((event: never) => void) | null
  onmessage: ((event: { readonly data: unknown }) => void) | null
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null
  onerror: ((event: never) => void) | null
  send(text: string): void
  close(code?: number, reason?: string): void
}

/** Time, which tests set. */
export interface Clock {
  /** Wall clock, milliseconds. */
  now(): number
  /** Rejects when the signal says so. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export interface ClientOptions {
  /** Where the product is served, its prefix included: absolute, or a path of the page's own origin. */
  readonly baseUrl: string
  readonly chainId: number
  /** Needed for everything that is not public. */
  readonly signer?: Signer
  readonly transport?: Transport
  readonly stream?: (url: string, protocols: readonly string[]) => Socket
  /** How long one attempt may take. */
  readonly timeoutMs?: number
  /** How often a request is made at most, where repeating it is safe. */
  readonly attempts?: number
  /** The longest wait that `Retry-After` may ask for; beyond it RateLimited is thrown at once. */
  readonly maxWaitMs?: number
  /** Is told when the venue takes no more requests for now (429), and for how long one waits before it is made again. */
  readonly onLimited?: (waitMs: number) => void
  readonly clock?: Clock
}

/** What clients of one venue share: how far its clock is from ours, and the last time that was signed. */
export interface ClockState {
  offsetMs: number
  lastMs: number
}

/** A client of one product, which operations of another one do not take. */
export interface Client<Name extends string = string> {
  readonly product: Product<Name>
  readonly options: ClientOptions
  readonly clock: Clock
  readonly state: ClockState
  /** The venue's wall clock as far as it is known, milliseconds. */
  now(): number
  /** The same client with other options, such as another signer. */
  with(options: Partial<ClientOptions>): Client<Name>
  call<Result>(spec: CallSpec, params: object, options: CallOptions): Promise<Result>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const end = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', end)
        resolve()
      }, ms)
      signal?.addEventListener('abort', end, { once: true })
    }),
}

export function clientOf<Name extends string>(
  product: Product<Name>,
  options: ClientOptions,
  state: ClockState = { offsetMs: 0, lastMs: 0 },
): Client<Name> {
  const clock = options.clock ?? systemClock
  const client: Client<Name> = {
    product,
    options,
    clock,
    state,
    now: () => clock.now() + state.offsetMs,
    with: (changed) => clientOf(product, { ...options, ...changed }, state),
    async call<Result>(spec: CallSpec, params: object, given: CallOptions) {
      const request = preparedRequest(spec, params, given)
      const attempt = (): Promise<Attempt> => attempted(client, request, given)
      const { data, info } = await carriedOut(client, request, attempt, given.signal)
      given.onAnswer?.(info)
      return data as Result
    },
  }
  return client
}

/** Every time that is signed is later than the one before it, so that no two requests are the same. */
export function signedTime(client: Client): number {
  client.state.lastMs = Math.max(Math.round(client.now()), client.state.lastMs + 1)
  return client.state.lastMs
}

const DEFAULT_TIMEOUT_MS = 30_000

async function attempted(
  client: Client,
  request: ReturnType<typeof preparedRequest>,
  { signal }: CallOptions,
): Promise<Attempt> {
  const { product, options, clock } = client
  signal?.throwIfAborted()
  const isSigned = request.access === 'key' || (request.access === 'open' && options.signer !== undefined)
  const headers = { ...request.headers, ...(isSigned ? await product.sign(client, request) : {}) }
  const transport = options.transport ?? fetch
  const timeout = AbortSignal.timeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS)
  const sentMs = clock.now()
  try {
    const response = await transport(options.baseUrl + request.uri, {
      method: request.method,
      headers,
      ...(request.body === '' ? {} : { body: request.body }),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
    })
    const text = await response.text()
    return answerOf(product, response, text, (sentMs + clock.now()) / 2)
  } catch (error) {
    return { kind: 'lost', error }
  }
}
