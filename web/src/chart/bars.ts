// What a chart does with bars that come again: pure, so that it can be tested without one.
import { compare } from '../lib/decimal.ts'

export interface Bar {
  /** Begin of the bar, Unix seconds. */
  readonly time: number
  readonly open: string
  readonly high: string
  readonly low: string
  readonly close: string
  readonly volume?: string | null
}

/** How to bring what is drawn to what was asked: by newer bars alone, or all anew. */
export type Change = { readonly kind: 'update'; readonly bars: readonly Bar[] } | { readonly kind: 'replace' }

const FIELDS = ['open', 'high', 'low', 'close', 'volume'] as const

const isSame = (a: Bar, b: Bar): boolean => FIELDS.every((field) => (a[field] ?? null) === (b[field] ?? null))

/**
 * Bars that the series may take one after the other: from the newest drawn one on. Where an older one was corrected, or there
 * is a hole between the two, all of them are drawn anew.
 */
export function changeOf(drawn: readonly Bar[], asked: readonly Bar[]): Change {
  const last = drawn.at(-1)
  const first = asked[0]
  if (!last || !first || first.time > last.time) return { kind: 'replace' }
  const known = new Map(drawn.map((bar) => [bar.time, bar]))
  const isCorrected = asked.some((bar) => {
    if (bar.time >= last.time) return false
    const old = known.get(bar.time)
    return !old || !isSame(old, bar)
  })
  if (isCorrected) return { kind: 'replace' }
  const newer = asked.filter((bar) => bar.time > last.time || (bar.time === last.time && !isSame(bar, last)))
  return { kind: 'update', bars: newer }
}

/** Bars in order of time, one for each time: the later of two counts. */
export function inOrder(bars: readonly Bar[]): readonly Bar[] {
  const byTime = new Map(bars.map((bar) => [bar.time, bar]))
  return [...byTime.values()].sort((a, b) => a.time - b.time)
}

/** With the bar of the moment, unless it is older than what is known. */
export function withLive(bars: readonly Bar[], live: Bar | null | undefined): readonly Bar[] {
  const last = bars.at(-1)
  if (!live || (last && live.time < last.time)) return bars
  return inOrder([...bars, live])
}

export interface Extremes {
  readonly open: string
  readonly last: string
  readonly low: string
  readonly high: string
}

/** First open, last close, lowest and highest of all bars; null of none. */
export function extremesOf(bars: readonly Bar[]): Extremes | null {
  const [first, last] = [bars[0], bars.at(-1)]
  if (!first || !last) return null
  let { low, high } = first
  for (const bar of bars) {
    if (compare(bar.low, low) < 0) low = bar.low
    if (compare(bar.high, high) > 0) high = bar.high
  }
  return { open: first.open, last: last.close, low, high }
}
