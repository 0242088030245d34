/** When the follower looks at the node again, so that a block is seen soon after it can be read. */
export interface Pace {
  /** The look that began at `atMs` found a new block. */
  found(atMs: number): void
  /** How long from `nowMs` until the next look. */
  waitMs(nowMs: number): number
}

/** The part of a block time before and after the moment at which the next block is due, in which looks are frequent. */
const WINDOW = 1 / 20
/** Looks within the window. */
const LOOKS = 10

/**
 * Looks every `pollMs`, and about ten times around the moment at which the next block is due: a block time after the look
 * that found the last. A block that comes at another moment is found by the ordinary looks, and each found late moves the
 * window nearer to the moment at which blocks come.
 */
export function createPace(pollMs: number, blockTimeMs: number): Pace {
  const windowMs = blockTimeMs * WINDOW
  const closeMs = Math.min(pollMs, (2 * windowMs) / LOOKS)
  let dueMs = Number.NEGATIVE_INFINITY
  return {
    found: (atMs) => {
      dueMs = atMs + blockTimeMs
    },
    waitMs: (nowMs) => {
      const untilWindowMs = dueMs - windowMs - nowMs
      if (untilWindowMs > 0) return Math.min(pollMs, untilWindowMs)
      return nowMs < dueMs + windowMs ? closeMs : pollMs
    },
  }
}
