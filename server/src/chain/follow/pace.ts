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
/** Where so many blocks in a row came when they were due, looks begin later and are closer: the window is that many times narrower. */
const STEADY_BLOCKS = 3
const NARROW = 5

/**
 * Looks every `pollMs`, and about ten times around the moment at which the next block is due: a block time after the look
 * that found the last. A block that comes at another moment is found by the ordinary looks, and each found late moves the
 * window nearer to the moment at which blocks come. Where blocks keep to it, the looks around it are closer together.
 */
export function createPace(pollMs: number, blockTimeMs: number): Pace {
  const wideMs = blockTimeMs * WINDOW
  const narrowMs = wideMs / NARROW
  let dueMs = Number.NEGATIVE_INFINITY
  let steady = 0
  return {
    found: (atMs) => {
      steady = Math.abs(atMs - dueMs) <= narrowMs ? steady + 1 : 0
      dueMs = atMs + blockTimeMs
    },
    waitMs: (nowMs) => {
      const windowMs = steady < STEADY_BLOCKS ? wideMs : narrowMs
      const untilWindowMs = dueMs - windowMs - nowMs
      if (untilWindowMs > 0) return Math.min(pollMs, untilWindowMs)
      if (nowMs < dueMs + windowMs) return Math.min(pollMs, (2 * windowMs) / LOOKS)
      return nowMs < dueMs + wideMs ? Math.min(pollMs, (2 * wideMs) / LOOKS) : pollMs
    },
  }
}
