/** When work that can wait does not compete with a new block, which the indexer writes and the streams tell of. */
export interface Quiet {
  /** A block was indexed. */
  indexed(atMs: number): void
  /** How long to wait from `nowMs`; 0 where nothing is under way or due. */
  waitMs(nowMs: number): number
}

/** From before the moment at which a block is indexed to after it, where blocks are not so frequent that it takes most of their time. */
const BEFORE_MS = 100
const AFTER_MS = 150
/** No more of the time between two blocks than this for either. */
const MOST = 1 / 6

/** Expects the next block a block time after the last. One that does not come holds nothing up for longer than once. */
export function createQuiet(blockTimeMs: number): Quiet {
  const beforeMs = Math.min(BEFORE_MS, blockTimeMs * MOST)
  const afterMs = Math.min(AFTER_MS, blockTimeMs * MOST)
  let indexedMs = Number.NEGATIVE_INFINITY
  return {
    indexed: (atMs) => {
      indexedMs = atMs
    },
    waitMs: (nowMs) => {
      const untilOverMs = indexedMs + afterMs - nowMs
      if (untilOverMs > 0) return untilOverMs
      const untilDueMs = indexedMs + blockTimeMs - nowMs
      return Math.abs(untilDueMs) < beforeMs ? untilDueMs + afterMs : 0
    },
  }
}
