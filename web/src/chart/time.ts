// Times stay Unix seconds: only their labels are local.
import type { TickMarkType } from 'lightweight-charts'

const DAY_SEC = 86_400

const text = (sec: number, options: Intl.DateTimeFormatOptions): string =>
  new Date(sec * 1000).toLocaleString(undefined, options)

/** Values of TickMarkType, which as an enum would bring the library into a test. */
const YEAR: TickMarkType = 0
const MONTH: TickMarkType = 1
const DAY: TickMarkType = 2

/** A mark below the chart, in the reader's time zone. */
export function tickLabel(sec: number, type: TickMarkType): string {
  if (type === YEAR) return text(sec, { year: 'numeric' })
  if (type === MONTH) return text(sec, { month: 'short' })
  if (type === DAY) return text(sec, { day: 'numeric', month: 'short' })
  return text(sec, { hour: '2-digit', minute: '2-digit' })
}

/** The time under the pointer; bars of a day and more are named by their date. */
export const pointerLabel = (sec: number, barSec: number): string =>
  text(sec, barSec >= DAY_SEC ? { dateStyle: 'medium' } : { dateStyle: 'medium', timeStyle: 'short' })

const UNITS: Readonly<Record<string, number>> = { m: 60, h: 3600, d: DAY_SEC, w: 7 * DAY_SEC, M: 30 * DAY_SEC }

/** Length of a bar: `15m` is 900 seconds. */
export function secondsOf(interval: string): number {
  const [, count = '1', unit = 'm'] = /^(\d+)([mhdwM])$/.exec(interval) ?? []
  return Number(count) * (UNITS[unit] ?? UNITS.m ?? 60)
}
