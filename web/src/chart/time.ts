// Times stay Unix seconds: only their labels are of a place.
import type { TickMarkType } from 'lightweight-charts'

const DAY_SEC = 86_400

const text = (sec: number, options: Intl.DateTimeFormatOptions): string =>
  new Date(sec * 1000).toLocaleString(undefined, options)

/** Values of TickMarkType, which as an enum would bring the library into a test. */
const YEAR: TickMarkType = 0
const MONTH: TickMarkType = 1
const DAY: TickMarkType = 2

/** What the bars of a chart are, as far as their times go. */
export interface BarTimes {
  readonly barSec: number
  /** The time zone in which the market's days begin: a day of New York is the evening before in San Francisco. */
  readonly dayZone: string
}

/** Bars of a day and more are dates of their market; shorter ones are told in the reader's time zone. */
const zoneOf = ({ barSec, dayZone }: BarTimes): Intl.DateTimeFormatOptions =>
  barSec >= DAY_SEC ? { timeZone: dayZone } : {}

/** A mark below the chart. */
export function tickLabel(sec: number, type: TickMarkType, times: BarTimes): string {
  const zone = zoneOf(times)
  if (type === YEAR) return text(sec, { year: 'numeric', ...zone })
  if (type === MONTH) return text(sec, { month: 'short', ...zone })
  if (type === DAY) return text(sec, { day: 'numeric', month: 'short', ...zone })
  return text(sec, { hour: '2-digit', minute: '2-digit' })
}

/** The time under the pointer; bars of a day and more are named by their date. */
export const pointerLabel = (sec: number, times: BarTimes): string =>
  times.barSec >= DAY_SEC
    ? text(sec, { dateStyle: 'medium', timeZone: times.dayZone })
    : text(sec, { dateStyle: 'medium', timeStyle: 'short' })

const UNITS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: DAY_SEC, w: 7 * DAY_SEC, M: 30 * DAY_SEC }

/** Length of a bar: `15m` is 900 seconds. */
export function secondsOf(interval: string): number {
  const [, count = '1', unit = 'm'] = /^(\d+)([mhdwM])$/.exec(interval) ?? []
  return Number(count) * (UNITS[unit] ?? UNITS.m ?? 60)
}
