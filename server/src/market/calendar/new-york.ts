const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/** A calendar date and the time of day, as clocks in New York show them. */
export interface NewYorkTime {
  /** `YYYY-MM-DD`. */
  readonly date: string
  readonly secondOfDay: number
}

const clock = new Intl.DateTimeFormat('en-US', { timeZone: 'America/New_York', timeZoneName: 'longOffset' })
/** By hours since the epoch: the offset changes on the hour, and asking for it is slow. */
const offsets = new Map<number, number>()

/** New York's offset from UTC at an instant, in ms; negative. */
function offsetMs(timeMs: number): number {
  const hour = Math.floor(timeMs / HOUR_MS)
  const known = offsets.get(hour)
  if (known !== undefined) return known
  const offset = readOffsetMs(hour * HOUR_MS)
  offsets.set(hour, offset)
  return offset
}

/** From `GMT-05:00`; dates long past have seconds too. */
function readOffsetMs(timeMs: number): number {
  const name = clock.formatToParts(timeMs).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [hours = 0, minutes = 0, seconds = 0] = name
    .replace(/^GMT[+-]?/, '')
    .split(':')
    .map(Number)
  return (name.includes('-') ? -1000 : 1000) * (hours * 3600 + minutes * 60 + seconds)
}

/** What clocks in New York show at an instant (Unix ms). */
export function newYorkTime(timeMs: number): NewYorkTime {
  const shownMs = timeMs + offsetMs(timeMs)
  const days = Math.floor(shownMs / DAY_MS)
  return {
    date: new Date(days * DAY_MS).toISOString().slice(0, 10),
    secondOfDay: Math.floor((shownMs - days * DAY_MS) / 1000),
  }
}

/**
 * The instant (Unix ms) at which clocks in New York show a time of day, in hours, of a date. The hour that is skipped in
 * spring and the one that comes twice in autumn, from 1 to 3, are not asked for.
 */
export function newYorkInstant(date: string, hour: number): number {
  const shownMs = Date.parse(date) + hour * HOUR_MS
  // New York is four or five hours behind: the one whose clock then shows the hour is right.
  const summerMs = shownMs + 4 * HOUR_MS
  const { date: shownDate, secondOfDay } = newYorkTime(summerMs)
  const isSummer = Date.parse(shownDate) + secondOfDay * 1000 === shownMs
  return isSummer ? summerMs : shownMs + 5 * HOUR_MS
}

/** The date some days later, or earlier when `days` is negative. */
export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10)

/** Sunday is 0. */
export const weekday = (date: string): number => new Date(date).getUTCDay()
