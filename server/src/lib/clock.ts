/** Wall clock. The venue keeps three clocks apart: wall (authentication), chain (deadlines), market (sessions). */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number
}

/** The wall clocks of the venue's processes may differ by this much, and each may be set back by it, without a request being let in twice. */
export const MAX_CLOCK_SKEW_MS = 60_000

export const unixSeconds = (time: Date): number => Math.floor(time.getTime() / 1000)

export const systemClock: Clock = { nowMs: () => Date.now() }

/** Resolves after `ms`, or at once when `signal` aborts. Never rejects. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
  })
}

/** Resolves when `signal` aborts. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve())))
