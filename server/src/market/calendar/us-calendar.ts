import { type MarketHours, SESSION, type Session } from '../hours.ts'
import { holidaysOf, isWeekday } from './holidays.ts'
import { addDays, newYorkInstant, newYorkTime } from './new-york.ts'

const EVENING_SEC = 20 * 3600

/** The sessions of a trade date, one after the other without a gap; Unix ms. */
interface TradingDay {
  readonly tradeDate: string
  readonly overnight: number
  readonly preMarket: number
  readonly regular: number
  readonly afterHours: number
  readonly end: number
}

const days = new Map<string, TradingDay | null>()

/** The sessions of a date; null when the market is closed on it. */
function tradingDay(date: string): TradingDay | null {
  const known = days.get(date)
  if (known !== undefined) return known
  const day = readTradingDay(date)
  days.set(date, day)
  return day
}

function readTradingDay(tradeDate: string): TradingDay | null {
  const { closed, early } = holidaysOf(Number(tradeDate.slice(0, 4)))
  if (!isWeekday(tradeDate) || closed.includes(tradeDate)) return null
  const shortened = early.includes(tradeDate)
  return {
    tradeDate,
    overnight: newYorkInstant(addDays(tradeDate, -1), 20),
    preMarket: newYorkInstant(tradeDate, 4),
    regular: newYorkInstant(tradeDate, 9.5),
    afterHours: newYorkInstant(tradeDate, shortened ? 13 : 16),
    end: newYorkInstant(tradeDate, shortened ? 17 : 20),
  }
}

/** The trade date that an instant would belong to if no day were free: the evening counts to the day after. */
function dateAround(timeMs: number): string {
  const { date, secondOfDay } = newYorkTime(timeMs)
  return secondOfDay < EVENING_SEC ? date : addDays(date, 1)
}

/** The first trading day at or beyond a date, in steps of one day forward or back. */
function nearest(date: string, step: 1 | -1): TradingDay {
  for (let candidate = date; ; candidate = addDays(candidate, step)) {
    const day = tradingDay(candidate)
    if (day) return day
  }
}

/** The trading day that an instant belongs to; while the market is closed, the next one. */
function dayOf(timeMs: number): TradingDay {
  const day = nearest(dateAround(timeMs), 1)
  return timeMs < day.end ? day : nearest(addDays(day.tradeDate, 1), 1)
}

function sessionAt(timeMs: number): Session {
  const day = dayOf(timeMs)
  if (timeMs < day.overnight) return SESSION.closed
  if (timeMs < day.preMarket) return SESSION.overnight
  if (timeMs < day.regular) return SESSION.preMarket
  return timeMs < day.afterHours ? SESSION.regular : SESSION.afterHours
}

function nextRegular(timeMs: number): number {
  const day = dayOf(timeMs)
  const start = timeMs < day.afterHours ? day.regular : nearest(addDays(day.tradeDate, 1), 1).regular
  return Math.max(timeMs, start)
}

/**
 * The US stock market around the clock on weekdays (stock-api 7). A trade date begins at 20:00
 * New York time of the evening before with its overnight session and ends with its after-hours session at 20:00, or at
 * 17:00 after an early close. A holiday is no trade date: the evening before it stays closed, its own evening opens the
 * next one.
 */
export const usCalendar: MarketHours = {
  session: sessionAt,
  tradeDate: (timeMs) => dayOf(timeMs).tradeDate,
  tradeDateStart: (tradeDate) => newYorkInstant(addDays(tradeDate, -1), 20),
  dayOrderExpiry: (timeMs) => dayOf(timeMs).end,
  lastOpen: (timeMs) =>
    sessionAt(timeMs) === SESSION.closed ? nearest(addDays(dayOf(timeMs).tradeDate, -1), -1).end - 1 : timeMs,
  nextRegular,
  sessionsOf(tradeDate) {
    const day = tradingDay(tradeDate)
    if (!day) return []
    const { overnight, preMarket, regular, afterHours, end } = day
    return [
      { session: SESSION.overnight, startMs: overnight, endMs: preMarket },
      { session: SESSION.preMarket, startMs: preMarket, endMs: regular },
      { session: SESSION.regular, startMs: regular, endMs: afterHours },
      { session: SESSION.afterHours, startMs: afterHours, endMs: end },
    ]
  },
}
