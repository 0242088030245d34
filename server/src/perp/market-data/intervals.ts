const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const WEEK = 7 * DAY
/** The Unix epoch is a Thursday; the first Monday after it begins here. */
const FIRST_MONDAY = 4 * DAY

const SECONDS = {
  '1m': MINUTE,
  '5m': 5 * MINUTE,
  '15m': 15 * MINUTE,
  '30m': 30 * MINUTE,
  '1h': HOUR,
  '4h': 4 * HOUR,
  '8h': 8 * HOUR,
  '12h': 12 * HOUR,
  '1d': DAY,
  '1w': WEEK,
} as const

/** Intervals of candles; `1M` is a calendar month (perp-api 2B, row 3). */
export type Interval = keyof typeof SECONDS | '1M'
export const INTERVALS: readonly Interval[] = [...(Object.keys(SECONDS) as (keyof typeof SECONDS)[]), '1M']

/** Where the candle that holds an instant begins; all Unix seconds. Weeks begin on Monday, everything in UTC. */
export function startOf(interval: Interval, timeSec: number): number {
  if (interval === '1M') return monthStart(monthOf(timeSec))
  const origin = interval === '1w' ? FIRST_MONDAY : 0
  const length = SECONDS[interval]
  return Math.floor((timeSec - origin) / length) * length + origin
}

/** Where the candle begins that comes `count` after the one that begins at `startSec`. */
export function startAfter(interval: Interval, startSec: number, count: number): number {
  if (interval === '1M') return monthStart(monthOf(startSec) + count)
  return startSec + count * SECONDS[interval]
}

/** Months since the year 0. */
function monthOf(timeSec: number): number {
  const time = new Date(timeSec * 1000)
  return time.getUTCFullYear() * 12 + time.getUTCMonth()
}

const monthStart = (month: number): number => Date.UTC(Math.floor(month / 12), month % 12, 1) / 1000
