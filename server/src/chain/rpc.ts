import { chunks } from '../lib/chunks.ts'
import { concurrencyLimit } from '../lib/turns.ts'
import { inHalves } from './halves.ts'
import { AnswerTooLong, type PostOptions, PostTimeout, postJson } from './post-json.ts'
import { isTooLarge, keptError, RpcError, type RpcErrorObject } from './rpc-error.ts'
import { sureOfReverts } from './sure-reverts.ts'

export interface RpcOptions {
  readonly url: string
  /** Time for one HTTP request including its answer's body. */
  readonly timeoutMs?: number
  /** Most calls in one HTTP request. */
  readonly maxBatch?: number
  /** Most HTTP requests of `batch` and `outcomes` at the same time; a `call` never queues. */
  readonly concurrency?: number
}

export interface CallOptions {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Most bytes of the answer to one HTTP request; a longer one is not read, and is `rpc_too_large`. Without it any length is read. */
  readonly maxAnswerBytes?: number
}

export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

export type RpcOutcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: RpcError }

/**
 * A JSON-RPC client over HTTP. It repeats nothing by itself: who calls knows whether a repeat is safe. What it asks again
 * are reads alone: what of a `batch` the node refused for its size (`inHalves`), and what the node says would revert
 * (`sureOfReverts`). Failures are `RpcError`; an abort of the caller's signal throws the signal's reason, but while only reverts are
 * asked again, which are `rpc_timeout` then.
 */
export interface Rpc {
  /** One call in one attempt. */
  call<T>(method: string, params?: readonly unknown[], options?: CallOptions): Promise<T>
  /** Many reads; results in the order of the calls, or the first failure. Splits what the node finds too large. */
  batch<T>(calls: readonly RpcCall[], options?: CallOptions): Promise<T[]>
  /** Many calls in one attempt each, every outcome on its own; for writes as well. Rejects only on an abort. */
  outcomes<T>(calls: readonly RpcCall[], options?: CallOptions): Promise<RpcOutcome<T>[]>
}

const DEFAULT_TIMEOUT_MS = 15_000
const DEFAULT_MAX_BATCH = 100
const DEFAULT_CONCURRENCY = 4

/** Errors of the connection's set-up: no byte of the request was sent. */
const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

export function createRpc(options: RpcOptions): Rpc {
  const maxBatch = options.maxBatch ?? DEFAULT_MAX_BATCH
  const limit = concurrencyLimit(options.concurrency ?? DEFAULT_CONCURRENCY)
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS

  async function attempt(calls: readonly RpcCall[], callOptions: CallOptions = {}): Promise<RpcOutcome<unknown>[]> {
    const postOptions = {
      timeoutMs: callOptions.timeoutMs ?? timeoutMs,
      signal: callOptions.signal,
      maxAnswerBytes: callOptions.maxAnswerBytes,
    }
    const ask = (some: readonly RpcCall[]) => post(options.url, some, postOptions)
    return sureOfReverts(calls, await ask(calls), ask)
  }

  const inParts = async <T>(
    calls: readonly RpcCall[],
    signal: AbortSignal | undefined,
    work: (part: RpcCall[]) => Promise<unknown[]>,
  ): Promise<T[]> =>
    (await Promise.all(chunks(calls, maxBatch).map((part) => limit(() => work(part), signal)))).flat() as T[]

  /** What is no matter of size fails the whole part at once. */
  async function readPart(calls: readonly RpcCall[], callOptions?: CallOptions): Promise<unknown[]> {
    const outcomes = await inHalves(calls, async (some) => {
      const answers = await attempt(some, callOptions)
      for (const answer of answers) if (!answer.ok && !isTooLarge(answer.error)) throw answer.error
      return answers
    })
    return outcomes.map(unwrap)
  }

  return {
    async call<T>(method: string, params: readonly unknown[] = [], callOptions?: CallOptions): Promise<T> {
      const [outcome] = await attempt([{ method, params }], callOptions)
      return unwrap(outcome) as T
    },
    batch: <T>(calls: readonly RpcCall[], callOptions?: CallOptions) =>
      inParts<T>(calls, callOptions?.signal, (part) => readPart(part, callOptions)),
    outcomes: <T>(calls: readonly RpcCall[], callOptions?: CallOptions) =>
      inParts<RpcOutcome<T>>(calls, callOptions?.signal, (part) => attempt(part, callOptions)),
  }
}

/** The value of an outcome. Throws the `RpcError` of one that failed. */
export function unwrap(outcome: RpcOutcome<unknown> | undefined): unknown {
  if (!outcome) throw new Error('a JSON-RPC call without an outcome')
  if (outcome.ok) return outcome.value
  throw outcome.error
}

/** One HTTP request. A failure of the whole request is the outcome of each of its calls. */
async function post(url: string, calls: readonly RpcCall[], options: PostOptions): Promise<RpcOutcome<unknown>[]> {
  const method = calls.length === 1 ? (calls[0]?.method ?? '') : `batch of ${calls.length}`
  const requests = calls.map((call, id) => ({ jsonrpc: '2.0', id, method: call.method, params: call.params }))
  const body = JSON.stringify(requests.length === 1 ? requests[0] : requests)
  try {
    return outcomesOf(calls, await exchange(url, method, body, options))
  } catch (error) {
    options.signal?.throwIfAborted()
    if (!(error instanceof RpcError)) throw error
    return calls.map(() => ({ ok: false, error }))
  }
}

async function exchange(url: string, method: string, body: string, options: PostOptions): Promise<unknown> {
  const { status, text } = await postJson(url, body, options).catch((cause) => {
    throw transportError(url, method, cause, options)
  })
  const answer = parse(text)
  if (answer !== undefined && (status < 400 || hasErrorObject(answer))) return answer
  if (status >= 400) throw new RpcError('rpc_http_status', method, `HTTP ${status}`, { httpStatus: status })
  throw new RpcError('rpc_malformed', method, 'the answer is not JSON')
}

function transportError(
  url: string,
  method: string,
  cause: unknown,
  { timeoutMs, maxAnswerBytes }: PostOptions,
): RpcError {
  const { host } = new URL(url)
  if (cause instanceof AnswerTooLong) {
    return new RpcError('rpc_too_large', method, `the answer has more than ${maxAnswerBytes} bytes`, { cause })
  }
  if (cause instanceof PostTimeout && !cause.isConnected) {
    return new RpcError('rpc_unreachable', method, `no connection to ${host} in ${timeoutMs} ms`, { cause })
  }
  if (cause instanceof PostTimeout) {
    return new RpcError('rpc_timeout', method, `no answer from ${host} in ${timeoutMs} ms`, { cause })
  }
  const code = errorCode(cause)
  if (code !== null && NEVER_SENT.has(code)) {
    return new RpcError('rpc_unreachable', method, `no connection to ${host} (${code})`, { cause })
  }
  return new RpcError('rpc_interrupted', method, `the connection to ${host} broke (${code ?? 'unknown cause'})`, {
    cause,
  })
}

const errorCode = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

interface RpcAnswer {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: RpcErrorObject
}

const isAnswer = (value: unknown): value is RpcAnswer => typeof value === 'object' && value !== null
const hasErrorObject = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(hasErrorObject) : isAnswer(value) && isAnswer(value.error)

/** Puts answers, which may come in any order, to their calls. One error object may answer a whole batch. */
function outcomesOf(calls: readonly RpcCall[], body: unknown): RpcOutcome<unknown>[] {
  if (!Array.isArray(body)) return calls.map((call) => outcomeOf(call, body))
  const byId = new Map(body.filter(isAnswer).map((answer) => [answer.id, answer]))
  return calls.map((call, id) => outcomeOf(call, byId.get(id)))
}

function outcomeOf(call: RpcCall, answer: unknown): RpcOutcome<unknown> {
  if (isAnswer(answer) && isAnswer(answer.error)) {
    const rpc = keptError(answer.error)
    return { ok: false, error: new RpcError('rpc_error', call.method, `${rpc.message} (${rpc.code})`, { rpc }) }
  }
  if (isAnswer(answer) && answer.result !== undefined) return { ok: true, value: answer.result }
  return { ok: false, error: new RpcError('rpc_malformed', call.method, 'the answer has neither result nor error') }
}
