/** When the follower looks at the node again, so that a block is seen soon after it can be read. */
export interface Pace {
  /** The look that began at `atMs` found a new block, and was done with it at `nowMs`. Returns how long until the next look. */
  found(atMs: number, nowMs: number): number
  /** How long from `nowMs` until the next look, after one that found nothing. */
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
 * Where so many in a row came within the window, looks before it are so many times rarer: what they find is only what comes at another
 * moment, such as a reorganisation.
 */
const REGULAR_BLOCKS = 5
const RARER = 2

/**
 * Looks every `pollMs`, and about ten times around the moment at which the next block is due: a block time after the look
 * that found the last. A block that comes at another moment is found by the ordinary looks, and each found late moves the
 * window nearer to the moment at which blocks come. Where blocks keep to it, the looks around it are closer together, and those
 * in between half as many; else one follows at once on a block that was found, since the next may have come meanwhile.
 */
export function createPace(pollMs: number, blockTimeMs: number): Pace {
  const wideMs = blockTimeMs * WINDOW
  const narrowMs = wideMs / NARROW
  let dueMs = Number.NEGATIVE_INFINITY
  let steady = 0
  let regular = 0
  /** Whether a look at the beginning of the window or later found nothing. What is found without may have come long before. */
  let isWatched = false
  const windowMs = () => (steady < STEADY_BLOCKS ? wideMs : narrowMs)
  /** How long until the next look before the window; 0 from its beginning on. */
  const untilWindow = (nowMs: number) => {
    const restMs = regular < REGULAR_BLOCKS ? pollMs : pollMs * RARER
    return Math.max(0, Math.min(restMs, dueMs - windowMs() - nowMs))
  }
  return {
    found: (atMs, nowMs) => {
      const offMs = Math.abs(atMs - dueMs)
      steady = offMs <= narrowMs ? steady + 1 : 0
      regular = offMs <= wideMs ? (isWatched ? regular + 1 : Math.min(regular, REGULAR_BLOCKS - 1)) : 0
      isWatched = false
      dueMs = atMs + blockTimeMs
      return regular < REGULAR_BLOCKS ? 0 : untilWindow(nowMs)
    },
    waitMs: (nowMs) => {
      const inMs = untilWindow(nowMs)
      if (inMs > 0) return inMs
      isWatched = true
      if (nowMs < dueMs + windowMs()) return Math.min(pollMs, (2 * windowMs()) / LOOKS)
      return nowMs < dueMs + wideMs ? Math.min(pollMs, (2 * wideMs) / LOOKS) : pollMs
    },
  }
}
