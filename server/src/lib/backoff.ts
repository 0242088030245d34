/** The first wait after a failure; each further failure in a row doubles it. */
const FIRST_DELAY_MS = 5000
const MAX_DELAY_MS = 600_000

interface Failure {
  readonly count: number
  readonly retryAtMs: number
}

/**
 * Which of the things that failed may be tried again: after 5 s, 10 s, 20 s … up to `maxDelayMs`. It lives in memory on
 * purpose: after a restart everything is tried once more, which is safe (what is settled is skipped) and finds a cause
 * that has gone away.
 */
export class Backoff {
  readonly #failures = new Map<string, Failure>()
  readonly #maxDelayMs: number

  constructor(maxDelayMs = MAX_DELAY_MS) {
    this.#maxDelayMs = maxDelayMs
  }

  /** How often `key` has failed in a row. */
  failures(key: string): number {
    return this.#failures.get(key)?.count ?? 0
  }

  isDue(key: string, nowMs: number): boolean {
    return (this.#failures.get(key)?.retryAtMs ?? 0) <= nowMs
  }

  /** Everything that must still wait. */
  waiting(nowMs: number): string[] {
    return [...this.#failures].filter(([, { retryAtMs }]) => retryAtMs > nowMs).map(([key]) => key)
  }

  fail(key: string, nowMs: number): void {
    this.#forgetOld(nowMs)
    const count = this.failures(key) + 1
    const delayMs = Math.min(this.#maxDelayMs, FIRST_DELAY_MS * 2 ** (count - 1))
    this.#failures.set(key, { count, retryAtMs: nowMs + delayMs })
  }

  /** Forgets `key`, which has succeeded. */
  forget(key: string): void {
    this.#failures.delete(key)
  }

  /** Forgets everything not among `keys`. */
  keepOnly(keys: Iterable<string>): void {
    const kept = new Set(keys)
    for (const key of this.#failures.keys()) if (!kept.has(key)) this.#failures.delete(key)
  }

  /** Idle for maxDelayMs past its retry: counts as succeeded. */
  #forgetOld(nowMs: number): void {
    for (const [key, { retryAtMs }] of this.#failures) {
      if (retryAtMs + this.#maxDelayMs < nowMs) this.#failures.delete(key)
    }
  }
}
