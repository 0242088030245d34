import { addDays, newYorkInstant } from '../calendar/new-york.ts'
import { type MarketHours, SESSION } from '../hours.ts'
import type { AlpacaRest } from './rest.ts'
import { asList, optionalText, text, type WireObject } from './wire.ts'

const DAYS_AHEAD = 365

/**
 * Compares the broker's trading days of the coming year (https://docs.alpaca.markets/reference/getcalendar-1) with the
 * venue's own: dates, regular hours, and the end of the after-hours session. Resolves to one line for each difference.
 */
export async function calendarDifferences(
  { rest, tradingUrl, hours }: { rest: AlpacaRest; tradingUrl: string; hours: MarketHours },
  fromDate: string,
): Promise<readonly string[]> {
  const end = addDays(fromDate, DAYS_AHEAD)
  const answer = await rest.get(`${tradingUrl}/v2/calendar`, { start: fromDate, end })
  const theirs = new Map(asList(answer, 'the calendar').map((day) => [text(day, 'date'), hoursOfTheirs(day)]))
  const differing: string[] = []
  for (let date = fromDate; date <= end; date = addDays(date, 1)) {
    const [one, other] = [theirs.get(date) ?? 'closed', hoursOfOurs(hours, date)]
    if (one !== other) differing.push(`${date}: the broker has ${one}, the venue ${other}`)
  }
  return differing
}

/** `09:30-16:00, until 20:00`; the session around the regular one is written without a colon. */
function hoursOfTheirs(day: WireObject): string {
  const end = optionalText(day, 'session_close')
  const until = end === null ? '' : `, until ${end.replace(/^(\d\d)(\d\d)$/, '$1:$2')}`
  return `${text(day, 'open')}-${text(day, 'close')}${until}`
}

function hoursOfOurs(hours: MarketHours, date: string): string {
  const opens = newYorkInstant(date, 9.5)
  if (hours.session(opens) !== SESSION.regular || hours.session(opens - 1) === SESSION.regular) return 'closed'
  const isRegular = (hour: number) => hours.session(newYorkInstant(date, hour) - 1) === SESSION.regular
  const close = isRegular(16) ? '16:00' : isRegular(13) ? '13:00' : 'other hours'
  const until = hours.dayOrderExpiry(opens) === newYorkInstant(date, 20) ? '20:00' : '17:00'
  return `09:30-${close}, until ${until}`
}
