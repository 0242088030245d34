import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

// A small client of the perpetual API for the examples: it signs, waits when it has asked too often, and repeats what it does
// not know the end of. It needs nothing but Node.

export interface Key {
  readonly apiKey: string
  readonly apiSecret: string
}

/** The venue has refused a request and says why; the same request would be refused again. */
export class Refused extends Error {
  readonly code: number

  constructor(path: string, code: number, message: string) {
    super(`${path}: ${message} (${code})`)
    this.code = code
  }
}

interface Envelope {
  readonly code: number
  readonly msg: string
  readonly data: unknown
}

/** What was asked, for a report. */
export interface Counts {
  requests: number
  /** Answers "too many requests", each of which was waited for. */
  waits: number
  /** Requests that were repeated because their end was not known. */
  repeats: number
}

const MOST_ATTEMPTS = 20
const REQUEST_TIMEOUT_MS = 30_000
const LONGEST_BACKOFF_MS = 10_000
/** Requests of a minute that are left alone, so that a cancel never waits. */
const RESERVE = 10

export class PerpClient {
  readonly counts: Counts = { requests: 0, waits: 0, repeats: 0 }
  readonly #baseUrl: string
  readonly #chainId: number
  readonly #key: Key
  /** Until when the client holds back by itself, Unix milliseconds. */
  #resumeAtMs = 0

  constructor(baseUrl: string, chainId: number, key: Key) {
    this.#baseUrl = baseUrl
    this.#chainId = chainId
    this.#key = key
  }

  get<T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<T> {
    const sorted = new URLSearchParams(Object.entries(query).sort(([a], [b]) => (a < b ? -1 : 1))).toString()
    return this.#send<T>('GET', `/v4/public/trader/${path}${sorted && `?${sorted}`}`, '', undefined)
  }

  /** Of one intention, however often it has to be asked: the key of idempotency is the same in each attempt. */
  post<T>(path: string, body: object, idempotencyKey: string = randomUUID()): Promise<T> {
    return this.#send<T>('POST', `/v4/public/trader/${path}`, JSON.stringify(body), idempotencyKey)
  }

  async #send<T>(method: string, target: string, body: string, idempotencyKey: string | undefined): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      await sleep(Math.max(0, this.#resumeAtMs - Date.now()))
      const answer = await this.#ask(method, target, body, idempotencyKey)
      if (answer !== undefined) {
        if (answer.code === 0) return answer.data as T
        throw new Refused(target, answer.code, answer.msg)
      }
      if (attempt === MOST_ATTEMPTS) throw new Error(`${target}: no answer in ${attempt} attempts`)
      await sleep(Math.min(2 ** attempt * 100, LONGEST_BACKOFF_MS))
    }
  }

  /** One attempt; undefined where it has to be repeated. */
  async #ask(method: string, target: string, body: string, idempotencyKey?: string): Promise<Envelope | undefined> {
    this.counts.requests++
    const response = await fetch(`${this.#baseUrl}${target}`, {
      method,
      headers: this.#headers(method, target, body, idempotencyKey),
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      ...(body === '' ? {} : { body }),
    }).catch(() => undefined)
    if (response === undefined || response.status >= 500) {
      this.counts.repeats++
      return undefined
    }
    if (response.status === 429) {
      this.counts.waits++
      this.#resumeAtMs = Date.now() + Number(response.headers.get('retry-after') ?? 1) * 1000
      return undefined
    }
    this.#pace(response.headers)
    return (await response.json()) as Envelope
  }

  /** Close to the limit the rest of the minute is spread evenly. */
  #pace(headers: Headers): void {
    const left = Number(headers.get('ratelimit-remaining') ?? Number.POSITIVE_INFINITY)
    const resetSec = Number(headers.get('ratelimit-reset') ?? 0)
    if (left <= RESERVE) this.#resumeAtMs = Date.now() + (resetSec * 1000) / (left + 1)
  }

  #headers(method: string, target: string, body: string, idempotencyKey?: string): Record<string, string> {
    const timestamp = String(Date.now())
    const hmac = createHmac('sha256', this.#key.apiSecret).update(`${timestamp}${method}${target}${body}`)
    return {
      'Content-Type': 'application/json',
      'X-Api-Key': this.#key.apiKey,
      'X-Api-Ts': timestamp,
      'X-Api-Sign': hmac.digest('base64'),
      'X-Chain-Id': String(this.#chainId),
      ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
    }
  }
}
