import type { Logger } from '../lib/logger.ts'

/** One answered request, without anything secret: no header, no body, no query. */
export interface AnsweredRequest {
  readonly requestId: string
  readonly method: string
  /** The route's pattern, never the path as sent. */
  readonly route: string
  readonly status: number
  readonly durationMs: number
  readonly clientIp: string
  readonly keyId?: string
  readonly reason?: string
}

const FLUSH_MS = 1000
const SUCCESSES_PER_FLUSH = 10
const FAILURES_PER_FLUSH = 200

/**
 * Request log, off the hot path (a line per request costs 43 % of the throughput): once a second the failures, a
 * sample of the successes, and how many more there were. So a flood cannot fill the disk.
 */
export class RequestLog {
  readonly #log: Logger
  readonly #timer: NodeJS.Timeout
  #successes: AnsweredRequest[] = []
  #failures: AnsweredRequest[] = []
  #unlogged = 0

  constructor(log: Logger) {
    this.#log = log
    this.#timer = setInterval(() => this.flush(), FLUSH_MS)
    this.#timer.unref()
  }

  /** `entry` is called only when the request will be logged. */
  record(failed: boolean, entry: () => AnsweredRequest): void {
    const kept = failed ? this.#failures : this.#successes
    if (kept.length < (failed ? FAILURES_PER_FLUSH : SUCCESSES_PER_FLUSH)) kept.push(entry())
    else this.#unlogged++
  }

  flush(): void {
    for (const request of this.#failures) this.#log.info({ request }, 'request failed')
    for (const request of this.#successes) this.#log.info({ request }, 'request')
    if (this.#unlogged > 0) this.#log.info({ count: this.#unlogged }, 'more requests, not logged one by one')
    this.#failures = []
    this.#successes = []
    this.#unlogged = 0
  }

  close(): void {
    clearInterval(this.#timer)
    this.flush()
  }
}
