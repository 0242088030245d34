import { addDays, weekday } from './new-york.ts'

const SUNDAY = 0
const MONDAY = 1
const THURSDAY = 4
const SATURDAY = 6

/** Unscheduled closures of the exchanges: days of mourning for a president. */
const UNSCHEDULED = ['2018-12-05', '2025-01-09']
/** Juneteenth became a holiday of the exchanges in this year. */
const JUNETEENTH_SINCE = 2022

/** The days of a year that differ from an ordinary week: `YYYY-MM-DD`, ascending. */
export interface YearOfHolidays {
  /** No trading at all. */
  readonly closed: readonly string[]
  /** The regular session ends at 13:00. */
  readonly early: readonly string[]
}

/**
 * Holidays and early closes of the US stock exchanges, by the exchanges' rules as they stand: a holiday on a Sunday is
 * kept on Monday and one on a Saturday on Friday, but a New Year's Day on a Saturday is not kept at all. Compared with the
 * exchanges' own calendars for 2015 to 2030; nobody can foretell a day of mourning.
 */
export function holidaysOf(year: number): YearOfHolidays {
  const day = (month: number, dayOfMonth: number) => dateOf(year, month, dayOfMonth)
  const thanksgiving = nthWeekday(year, 11, THURSDAY, 4)
  const scheduled = [
    newYearsDay(year),
    nthWeekday(year, 1, MONDAY, 3),
    nthWeekday(year, 2, MONDAY, 3),
    addDays(easterSunday(year), -2),
    lastMonday(year, 5),
    ...(year >= JUNETEENTH_SINCE ? [observed(day(6, 19))] : []),
    observed(day(7, 4)),
    nthWeekday(year, 9, MONDAY, 1),
    thanksgiving,
    observed(day(12, 25)),
  ]
  const unscheduled = UNSCHEDULED.filter((date) => date.startsWith(`${year}-`))
  const closed = [...scheduled, ...unscheduled].filter((date) => date !== null).sort()
  const eves = [day(7, 3), addDays(thanksgiving, 1), day(12, 24)]
  return { closed, early: eves.filter((date) => isWeekday(date) && !closed.includes(date)) }
}

const newYearsDay = (year: number): string | null => {
  const date = dateOf(year, 1, 1)
  return weekday(date) === SATURDAY ? null : observed(date)
}

function observed(date: string): string {
  if (weekday(date) === SATURDAY) return addDays(date, -1)
  return weekday(date) === SUNDAY ? addDays(date, 1) : date
}

export const isWeekday = (date: string): boolean => weekday(date) !== SATURDAY && weekday(date) !== SUNDAY

function nthWeekday(year: number, month: number, wanted: number, n: number): string {
  const first = dateOf(year, month, 1)
  return addDays(first, ((wanted - weekday(first) + 7) % 7) + (n - 1) * 7)
}

function lastMonday(year: number, month: number): string {
  const last = addDays(dateOf(year, month + 1, 1), -1)
  return addDays(last, -((weekday(last) - MONDAY + 7) % 7))
}

/** Easter Sunday in the Gregorian calendar: the Sunday after the church's full moon on or after 21 March. */
function easterSunday(year: number): string {
  const golden = year % 19
  const century = Math.floor(year / 100)
  const moonCorrection = century - Math.floor(century / 4) - Math.floor((8 * century + 13) / 25)
  const epact = (moonCorrection + 19 * golden + 15) % 30
  const fullMoon = epact - (epact === 29 || (epact === 28 && golden > 10) ? 1 : 0)
  const moonDate = addDays(dateOf(year, 3, 21), fullMoon)
  return addDays(moonDate, 7 - weekday(moonDate))
}

const dateOf = (year: number, month: number, day: number): string =>
  new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10)
