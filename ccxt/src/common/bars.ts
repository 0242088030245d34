import type { Raw } from '../venue.ts'

/** Bars, or whatever else comes at a pace, of which the venue gives the newest of a range. */
export interface Bars {
  /** Asks for those of a range of Unix seconds, both included; oldest first. */
  readonly ask: (fromSec: number, toSec: number) => Promise<readonly Raw[]>
  /** How far apart they are where none is missing. */
  readonly stepSec: number
  /** How many an answer has at most. */
  readonly most: number
  /** Whether none is missing from the first one on: then one answer has what there is. */
  readonly isGapless: boolean
}

interface Wanted {
  readonly fromSec: number
  /** After it there are none yet. */
  readonly untilSec: number
  readonly count: number
}

/**
 * The first bars from a moment on, `count` at most, oldest first. A market that is closed has none for days, and before the first one there
 * may be none for years: the range grows until there are some, and shrinks where an answer may lack the first ones of it.
 */
export async function firstBars({ ask, stepSec, most, isGapless }: Bars, { fromSec, untilSec, count }: Wanted) {
  const bars: Raw[] = []
  /** What is no wider has no more than an answer holds. */
  const whole = stepSec * (most - 1)
  let [from, width] = [fromSec, Math.min(stepSec * count - 1, whole)]
  do {
    const read = await ask(from, from + width)
    if (read.length >= most && width > whole) {
      width = Math.max(whole, Math.floor(width / 2))
      continue
    }
    bars.push(...read)
    if (isGapless && read.length > 0) break
    from += width + 1
    if (read.length === 0) width = Math.max(width * 2, stepSec)
  } while (bars.length < count && from <= untilSec)
  return bars.slice(0, count)
}
