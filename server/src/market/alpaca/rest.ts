import { sleep } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { concurrencyLimit } from '../../lib/turns.ts'
import { marketReasons } from '../reasons.ts'
import { parseWire } from './wire.ts'

const TIMEOUT_MS = 10_000
const CONCURRENT_REQUESTS = 4
/** Reads, and cancels, which ask for the same when they are repeated. */
const ATTEMPTS = 4
const FIRST_RETRY_MS = 250
/** Longest wait in line; beyond it a request is refused, so that a round of the keeper ends. */
const LONGEST_WAIT_MS = 5_000
const DEFAULT_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000

export interface RestOptions {
  readonly keyId: string
  readonly secretKey: string
  /** Time of one request with its answer's body. */
  readonly timeoutMs?: number
  readonly firstRetryMs?: number
}

export type Query = Readonly<Record<string, string | number | null>>

/** A definite refusal: the broker read the request and did nothing. */
export class AlpacaRefusal extends Error {
  readonly status: number
  /** Eight digits that begin with the HTTP status: https://docs.alpaca.markets/docs/working-with-orders */
  readonly code: number

  constructor(status: number, code: number, message: string) {
    super(message)
    this.name = 'AlpacaRefusal'
    this.status = status
    this.code = code
  }
}

/** HTTP requests under one key. Bodies and headers never reach an error or a log: they hold the key's secret. */
export interface AlpacaRest {
  /** Reads; repeated when it fails. Throws `AlpacaRefusal`, or `broker_unavailable` when there is no answer. */
  get(url: string, query?: Query): Promise<unknown>
  /** Cancels; repeated when it fails. */
  delete(url: string): Promise<unknown>
  /** One attempt. After `broker_unavailable` what was asked for may have happened, or may still happen. */
  post(url: string, body: unknown): Promise<unknown>
}

export function alpacaRest({ keyId, secretKey, timeoutMs = TIMEOUT_MS, ...options }: RestOptions): AlpacaRest {
  const firstRetryMs = options.firstRetryMs ?? FIRST_RETRY_MS
  const places = concurrencyLimit(CONCURRENT_REQUESTS)
  let pausedUntilMs = 0

  async function attempt(method: string, url: string, body?: unknown): Promise<unknown> {
    const answer = await places(() =>
      fetch(url, {
        method,
        headers: {
          'APCA-API-KEY-ID': keyId,
          'APCA-API-SECRET-KEY': secretKey,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs),
        redirect: 'error',
      }).then(async (response) => ({ response, bytes: Buffer.from(await response.arrayBuffer()) })),
    ).catch((cause) => {
      throw unavailable(`${method} ${pathOf(url)} has no answer`, cause)
    })
    const { response, bytes } = answer
    if (response.ok) return bytes.length === 0 ? null : parseWire(bytes)
    if (response.status === 429) pausedUntilMs = Date.now() + pauseMs(response.headers)
    throw refusalOf(response.status, bytes) ?? unavailable(`${method} ${pathOf(url)} is answered ${response.status}`)
  }

  async function waitForTurn(): Promise<void> {
    const waitMs = pausedUntilMs - Date.now()
    if (waitMs > LONGEST_WAIT_MS) throw unavailable(`the rate limit is reached for ${Math.ceil(waitMs / 1000)} s`)
    if (waitMs > 0) await sleep(waitMs)
  }

  async function repeated(method: string, url: string): Promise<unknown> {
    for (let failures = 0; ; ) {
      try {
        await waitForTurn()
        return await attempt(method, url)
      } catch (error) {
        if (!isUnavailable(error) || ++failures >= ATTEMPTS) throw error
        await sleep(firstRetryMs * 2 ** failures * (0.5 + Math.random() / 2))
      }
    }
  }

  return {
    get: (url, query = {}) => repeated('GET', withQuery(url, query)),
    delete: (url) => repeated('DELETE', url),
    async post(url, body) {
      if (pausedUntilMs > Date.now()) await waitForTurn()
      return attempt('POST', url, body)
    },
  }
}

const unavailable = (message: string, cause?: unknown): AppError =>
  new AppError(marketReasons.broker_unavailable, message, { cause })

export const isUnavailable = (error: unknown): boolean =>
  error instanceof AppError && error.reason.name === marketReasons.broker_unavailable.name

/**
 * A no that is certain: a 4xx with the broker's own error object. A refused key (401), the rate limit (429) and errors of
 * whatever stands in between say nothing of the request.
 */
function refusalOf(status: number, bytes: Buffer): AlpacaRefusal | null {
  if (status < 400 || status >= 500 || status === 401 || status === 408 || status === 429) return null
  try {
    const { code, message } = parseWire(bytes) as { code?: unknown; message?: unknown }
    if (!Number.isSafeInteger(code) || typeof message !== 'string' || String(code).startsWith('401')) return null
    return new AlpacaRefusal(status, code as number, message)
  } catch {
    return null
  }
}

/** https://docs.alpaca.markets/docs/about-market-data-api: `X-RateLimit-Reset` is a Unix second. */
function pauseMs(headers: Headers): number {
  const retryAfterSec = Number(headers.get('retry-after') ?? Number.NaN)
  const resetSec = Number(headers.get('x-ratelimit-reset') ?? Number.NaN)
  const wantedMs = retryAfterSec >= 0 ? retryAfterSec * 1000 : resetSec * 1000 - Date.now()
  return wantedMs > 0 ? Math.min(wantedMs, LONGEST_PAUSE_MS) : DEFAULT_PAUSE_MS
}

/** Without the query: a message names what was asked for, not with what. */
const pathOf = (url: string): string => new URL(url).pathname

function withQuery(url: string, query: Query): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== null) given.set(name, String(value))
  return given.size === 0 ? url : `${url}?${given}`
}
