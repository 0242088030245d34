import { describe, expect, it } from 'vitest'
import { SESSION } from '../hours.ts'
import { newYorkTime } from './new-york.ts'
import { usCalendar } from './us-calendar.ts'

const names = Object.fromEntries(Object.entries(SESSION).map(([name, number]) => [number, name]))
/** `closed`, `overnight 2026-01-15` and so on. */
function at(time: string): string {
  const timeMs = Date.parse(time)
  const session = names[usCalendar.session(timeMs)] ?? ''
  return session === 'closed' ? session : `${session} ${usCalendar.tradeDate(timeMs)}`
}
const HOUR_MS = 3_600_000
const EST = '-05:00'
const EDT = '-04:00'

describe('an ordinary week', () => {
  it.each([
    ['2026-01-11T19:59:59.999', 'closed'],
    ['2026-01-11T20:00:00', 'overnight 2026-01-12'],
    ['2026-01-12T03:59:59.999', 'overnight 2026-01-12'],
    ['2026-01-12T04:00:00', 'preMarket 2026-01-12'],
    ['2026-01-12T09:29:59.999', 'preMarket 2026-01-12'],
    ['2026-01-12T09:30:00', 'regular 2026-01-12'],
    ['2026-01-12T15:59:59.999', 'regular 2026-01-12'],
    ['2026-01-12T16:00:00', 'afterHours 2026-01-12'],
    ['2026-01-12T19:59:59.999', 'afterHours 2026-01-12'],
    ['2026-01-12T20:00:00', 'overnight 2026-01-13'],
    ['2026-01-16T19:59:59.999', 'afterHours 2026-01-16'],
    ['2026-01-16T20:00:00', 'closed'],
    ['2026-01-17T12:00:00', 'closed'],
  ])('%s New York is %s', (time, expected) => {
    expect(at(`${time}${EST}`)).toBe(expected)
  })
})

describe('holidays and early closes', () => {
  it.each([
    // Martin Luther King Day, a Monday: Sunday evening stays closed, Monday evening opens Tuesday.
    [`2026-01-18T20:00:00${EST}`, 'closed'],
    [`2026-01-19T12:00:00${EST}`, 'closed'],
    [`2026-01-19T19:59:59.999${EST}`, 'closed'],
    [`2026-01-19T20:00:00${EST}`, 'overnight 2026-01-20'],
    // Good Friday: the week ends on Thursday at 20:00.
    [`2024-03-28T19:59:59.999${EDT}`, 'afterHours 2024-03-28'],
    [`2024-03-28T20:00:00${EDT}`, 'closed'],
    [`2024-03-29T10:00:00${EDT}`, 'closed'],
    [`2024-03-31T20:00:00${EDT}`, 'overnight 2024-04-01'],
    // Thanksgiving and the day after, which closes at 13:00 and at 17:00.
    [`2025-11-26T20:00:00${EST}`, 'closed'],
    [`2025-11-27T20:00:00${EST}`, 'overnight 2025-11-28'],
    [`2025-11-28T12:59:59.999${EST}`, 'regular 2025-11-28'],
    [`2025-11-28T13:00:00${EST}`, 'afterHours 2025-11-28'],
    [`2025-11-28T16:59:59.999${EST}`, 'afterHours 2025-11-28'],
    [`2025-11-28T17:00:00${EST}`, 'closed'],
    [`2025-11-30T20:00:00${EST}`, 'overnight 2025-12-01'],
    // Early close before a holiday in the middle of a week.
    [`2024-07-03T13:00:00${EDT}`, 'afterHours 2024-07-03'],
    [`2024-07-03T17:00:00${EDT}`, 'closed'],
    [`2024-07-04T10:00:00${EDT}`, 'closed'],
    [`2024-07-04T20:00:00${EDT}`, 'overnight 2024-07-05'],
    // Early close on a Monday between a weekend and a holiday.
    [`2023-07-02T20:00:00${EDT}`, 'overnight 2023-07-03'],
    [`2023-07-03T13:30:00${EDT}`, 'afterHours 2023-07-03'],
    // A Saturday's holiday is kept on Friday and its eve is an ordinary day.
    [`2020-07-02T15:30:00${EDT}`, 'regular 2020-07-02'],
    [`2020-07-02T20:00:00${EDT}`, 'closed'],
    [`2020-07-03T10:00:00${EDT}`, 'closed'],
    // New Year's Day on a Saturday is not kept.
    [`2021-12-31T15:30:00${EST}`, 'regular 2021-12-31'],
    [`2022-01-02T20:00:00${EST}`, 'overnight 2022-01-03'],
    // Days of mourning.
    [`2018-12-04T20:00:00${EST}`, 'closed'],
    [`2018-12-05T12:00:00${EST}`, 'closed'],
    [`2018-12-05T20:00:00${EST}`, 'overnight 2018-12-06'],
    [`2025-01-09T12:00:00${EST}`, 'closed'],
    // Juneteenth before and after it became a holiday of the exchanges.
    [`2020-06-19T12:00:00${EDT}`, 'regular 2020-06-19'],
    [`2021-06-18T12:00:00${EDT}`, 'regular 2021-06-18'],
    [`2022-06-20T12:00:00${EDT}`, 'closed'],
  ])('%s is %s', (time, expected) => {
    expect(at(time)).toBe(expected)
  })
})

describe('daylight saving', () => {
  // The Fridays before, the Mondays after and the opening Sunday evenings of every change in ten years.
  const changes = [
    ...['2016-03-13', '2017-03-12', '2018-03-11', '2019-03-10', '2020-03-08', '2021-03-14', '2022-03-13'],
    ...['2023-03-12', '2024-03-10', '2025-03-09', '2026-03-08'],
    ...['2016-11-06', '2017-11-05', '2018-11-04', '2019-11-03', '2020-11-01', '2021-11-07', '2022-11-06'],
    ...['2023-11-05', '2024-11-03', '2025-11-02', '2026-11-01'],
  ]
  it.each(changes)('keeps the hours of New York around %s', (sunday) => {
    const spring = sunday.slice(5, 7) === '03'
    const [before, after] = spring ? [EST, EDT] : [EDT, EST]
    const [friday, monday] = [-2, 1].map((days) =>
      new Date(Date.parse(sunday) + days * 24 * HOUR_MS).toISOString().slice(0, 10),
    )
    expect([
      at(`${friday}T09:29:59${before}`),
      at(`${friday}T09:30:00${before}`),
      at(`${sunday}T19:59:59${after}`),
      at(`${sunday}T20:00:00${after}`),
      at(`${monday}T09:29:59${after}`),
      at(`${monday}T09:30:00${after}`),
    ]).toEqual([
      `preMarket ${friday}`,
      `regular ${friday}`,
      'closed',
      `overnight ${monday}`,
      `preMarket ${monday}`,
      `regular ${monday}`,
    ])
  })
})

describe('whole years', () => {
  // The exchanges' own counts of trading days.
  const tradingDays: Readonly<Record<string, number>> = {
    2015: 252,
    2016: 252,
    2017: 251,
    2018: 251,
    2019: 252,
    2020: 253,
    2021: 252,
    2022: 251,
    2023: 250,
    2024: 252,
    2025: 250,
  }
  it.each(Object.keys(tradingDays))('%s has as many trading days as the exchanges had', (year) => {
    const dates = new Set<string>()
    for (
      let timeMs = Date.UTC(Number(year), 0, 1, 5);
      timeMs < Date.UTC(Number(year) + 1, 0, 1, 5);
      timeMs += HOUR_MS
    ) {
      if (usCalendar.session(timeMs) === SESSION.regular) dates.add(usCalendar.tradeDate(timeMs))
    }
    expect(dates.size).toBe(tradingDays[year])
  })

  it('is consistent with itself every half hour of ten years', () => {
    const faults: string[] = []
    let [previousDate, previousMs] = ['', 0]
    for (let timeMs = Date.UTC(2016, 0, 1); timeMs < Date.UTC(2026, 0, 1); timeMs += HOUR_MS / 2) {
      const [session, date] = [usCalendar.session(timeMs), usCalendar.tradeDate(timeMs)]
      const report = (fault: string) => faults.push(`${new Date(timeMs).toISOString()}: ${fault}`)
      const { secondOfDay } = newYorkTime(timeMs)
      const [lastOpen, nextRegular] = [usCalendar.lastOpen(timeMs), usCalendar.nextRegular(timeMs)]
      if (date < previousDate) report('an earlier trade date')
      if (session === SESSION.closed) {
        if (usCalendar.session(lastOpen) === SESSION.closed) report('last open is closed')
        if (usCalendar.session(lastOpen + 1) !== SESSION.closed) report('last open is not the end of a session')
        if (usCalendar.tradeDateStart(date) <= timeMs) report('a trade date that has begun')
      } else {
        if (lastOpen !== timeMs) report('last open is another instant')
        if (usCalendar.tradeDateStart(date) > timeMs) report('a trade date that has not begun')
        if (usCalendar.dayOrderExpiry(timeMs) <= timeMs) report('a DAY order that ends before it begins')
      }
      if (session === SESSION.regular) {
        if (secondOfDay < 34_200 || secondOfDay >= 57_600) report('regular outside 9:30 to 16:00')
        if (nextRegular !== timeMs) report('the running regular session is not found')
      } else if (nextRegular <= timeMs || usCalendar.session(nextRegular) !== SESSION.regular) {
        report('the next regular session is not found')
      } else if (usCalendar.session(nextRegular - 1) === SESSION.regular) report('the next one has begun before')
      if (previousMs > 0 && nextRegular < previousMs) report('regular sessions run back')
      ;[previousDate, previousMs] = [date, nextRegular]
    }
    expect(faults.slice(0, 5)).toEqual([])
  })
})

describe('dayOrderExpiry', () => {
  it.each([
    ['in the regular session', `2026-01-12T12:00:00${EST}`, `2026-01-12T20:00:00${EST}`],
    ['overnight, of the next trade date', `2026-01-12T21:00:00${EST}`, `2026-01-13T20:00:00${EST}`],
    ['on a weekend, of Monday', `2026-01-10T12:00:00${EST}`, `2026-01-12T20:00:00${EST}`],
    ['on a long weekend, of Tuesday', `2026-01-17T12:00:00${EST}`, `2026-01-20T20:00:00${EST}`],
    ['on an early close', `2025-12-24T12:00:00${EST}`, `2025-12-24T17:00:00${EST}`],
    ['after an early close, of the next trade date', `2025-12-24T18:00:00${EST}`, `2025-12-26T20:00:00${EST}`],
    ['over the change to summer time', `2026-03-06T21:00:00${EST}`, `2026-03-09T20:00:00${EDT}`],
  ])('%s', (_, time, end) => {
    expect(new Date(usCalendar.dayOrderExpiry(Date.parse(time)))).toEqual(new Date(end))
  })
})
