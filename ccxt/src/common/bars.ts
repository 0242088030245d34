import type { Raw } from '../venue.ts'

/** Bars, or whatever else comes at a pace, of which the venue gives the newest of a range. */
export interface Bars {
  /** Asks for those of a range of Unix seconds, both included; oldest first. The one that holds the first second may be among them. */
  readonly ask: (fromSec: number, toSec: number) => Promise<readonly Raw[]>
  /** The Unix second at which one begins. */
  readonly secondOf: (bar: Raw) => number
  /** How far apart they are where none is missing. */
  readonly stepSec: number
  /** How many an answer has at most. */
  readonly most: number
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
export async function firstBars({ ask, secondOf, stepSec, most }: Bars, { fromSec, untilSec, count }: Wanted) {
  const bars: Raw[] = []
  /** Of what is no wider an answer lacks none, but for one that began before. */
  const whole = stepSec * most - 1
  let [from, width] = [fromSec, Math.min(stepSec * count - 1, whole)]
  do {
    const read = await ask(from, from + width)
    if (read.length >= most && width > whole) {
      width = Math.max(whole, Math.floor(width / 2))
      continue
    }
    const begun = read.filter((bar) => secondOf(bar) >= from)
    bars.push(...begun)
    from += width + 1
    if (begun.length === 0) width = Math.max(width * 2, whole)
  } while (bars.length < count && from <= untilSec)
  return bars.slice(0, count)
}
