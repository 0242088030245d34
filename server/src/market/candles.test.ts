import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { formatUnits } from '../lib/decimal.ts'
import { createLogger } from '../lib/logger.ts'
import { WAD } from '../lib/wad.ts'
import { addDays, newYorkInstant, weekday } from './calendar/new-york.ts'
import { usCalendar } from './calendar/us-calendar.ts'
import { INTERVALS, type Interval } from './candles.ts'
import { alwaysOpen, type MarketHours, SESSION } from './hours.ts'
import { embeddedInstruments } from './instruments.ts'
import type { SourceQuote } from './ports.ts'
import { upsertSymbols } from './store.ts'
import { pollQuotes } from './tasks.ts'
import { candles, dayBar, record, type WireBar } from './testing-bars.ts'

const MINUTE_MS = 60_000
const SECONDS: Partial<Record<Interval, number>> = { '1m': 60, '3m': 180, '5m': 300, '15m': 900, '1h': 3600 }

let database: TestDatabase
beforeEach(async () => {
  database = await testDatabase()
  await database.sql.begin((tx) => upsertSymbols(tx, embeddedInstruments))
})
afterEach(() => database.drop())

/** A trade at a time: price in cents, and the source's running counter of shares. */
interface Trade {
  readonly timeMs: number
  readonly cents: number
  readonly shares: number
}

const quoteOf = (symbol: string, { timeMs, cents, shares }: Trade): SourceQuote => {
  const price8 = BigInt(cents) * 1_000_000n
  return { symbol, price8, bid8: price8 - 1n, ask8: price8 + 1n, volumeWad: BigInt(shares) * WAD, timeMs }
}

/** Takes trades one by one, of AAPL and, at other prices, of MSFT. */
async function take(trades: readonly Trade[], hours: MarketHours = alwaysOpen): Promise<void> {
  const known = new Set<string>()
  for (const trade of trades) {
    const quotes = [quoteOf('AAPL', trade), quoteOf('MSFT', { ...trade, cents: trade.cents * 3 + 1 })]
    const source = { name: 'test', symbols: () => [], latestQuotes: async () => quotes }
    const market = { source, clock: { nowMs: () => trade.timeMs }, hours }
    await pollQuotes({ sql: database.sql, log: createLogger('silent') }, market, known)
  }
}

/** What the bars must be, straight from the trades. */
function naive(trades: readonly Trade[], interval: Interval, hours: MarketHours): WireBar[] {
  const bars = new Map<number, { prices: number[]; shares: number }>()
  let before: Trade | undefined
  for (const trade of trades) {
    if (hours.session(trade.timeMs) === SESSION.closed) continue
    const timestamp = beginSec(trade.timeMs, interval, hours)
    const bar = bars.get(timestamp) ?? { prices: [], shares: 0 }
    bar.prices.push(trade.cents)
    if (before && trade.timeMs - before.timeMs <= 2 * MINUTE_MS) bar.shares += trade.shares - before.shares
    bars.set(timestamp, bar)
    before = trade
  }
  const usd = (cents: number | undefined) => formatUnits(BigInt(cents ?? 0), 2)
  return [...bars].map(([timestamp, { prices, shares }]) => ({
    open: usd(prices[0]),
    high: usd(Math.max(...prices)),
    low: usd(Math.min(...prices)),
    close: usd(prices.at(-1)),
    volume: String(shares),
    timestamp,
  }))
}

function beginSec(timeMs: number, interval: Interval, hours: MarketHours): number {
  const seconds = SECONDS[interval]
  if (seconds !== undefined) return Math.floor(timeMs / 1000 / seconds) * seconds
  const date = hours.tradeDate(timeMs)
  const monday = addDays(date, -((weekday(date) + 6) % 7))
  return newYorkInstant(interval === '1d' ? date : monday, 0) / 1000
}

const STARTS = {
  'an ordinary week': Date.UTC(2026, 7, 3, 13),
  'the change to summer time': Date.UTC(2026, 2, 6, 20),
  'the change to winter time': Date.UTC(2026, 9, 30, 20),
  'a turn of the year and of months': Date.UTC(2026, 11, 30, 22),
}
/** Pauses of seconds, minutes, hours and days. */
const pause = fc.oneof(
  fc.integer({ min: 1000, max: 50_000 }),
  fc.integer({ min: 1000, max: 50_000 }),
  fc.integer({ min: 110_000, max: 130_000 }),
  fc.integer({ min: MINUTE_MS, max: 90 * MINUTE_MS }),
  fc.integer({ min: 60 * MINUTE_MS, max: 4320 * MINUTE_MS }),
)
const step = fc.record({ pause, cents: fc.integer({ min: 2, max: 90_000 }), shares: fc.integer({ min: 0, max: 999 }) })

function tradesFrom(startMs: number, steps: readonly { pause: number; cents: number; shares: number }[]): Trade[] {
  let [timeMs, shares] = [startMs, 0]
  return steps.map((one) => {
    timeMs += one.pause
    shares += one.shares
    return { timeMs, cents: one.cents, shares }
  })
}

describe('bars of every interval are what the trades make them', () => {
  const markets = { 'an always open market': alwaysOpen, 'a market that keeps the calendar': usCalendar }
  it.each(
    Object.entries(markets).flatMap(([market, hours]) =>
      Object.entries(STARTS).map(([when, startMs]) => [market, when, hours, startMs] as const),
    ),
  )('in %s around %s', async (_market, _when, hours, startMs) => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
      const { sql } = database
      await sql`truncate market_quotes, market_minute_bars, market_candles, market_daily_bars, market_weekly_bars`
      const trades = tradesFrom(startMs, steps)
      await take(trades, hours)
      for (const interval of INTERVALS) {
        expect(await candles(sql, { interval, hours }), interval).toEqual(naive(trades, interval, hours))
      }
    })
    await fc.assert(property, { numRuns: 6, seed: 20_260_803 })
  })
})

describe('the range of an answer', () => {
  const START_MS = Date.UTC(2026, 7, 3, 15)
  const START_SEC = START_MS / 1000
  const minutes = [0, 1, 2, 3, 10, 11, 5000, 60_000]
  const trades = minutes.map((minute, i) => ({ timeMs: START_MS + minute * MINUTE_MS, cents: 23_000 + i, shares: 0 }))
  const ask = async (startMinute: number | null, endMinute: number, limit = 5000, interval: Interval = '1m') => {
    const startSec = startMinute === null ? null : START_SEC + startMinute * 60
    const bars = await candles(database.sql, { interval, startSec, endSec: START_SEC + endMinute * 60, limit })
    return bars.map((bar) => (bar.timestamp - START_SEC) / 60)
  }

  it('holds the bars that begin between start and end, both included, and leaves gaps open', async () => {
    await take(trades)
    expect(await ask(1, 10)).toEqual([1, 2, 3, 10])
    expect(await ask(1.5, 9.9)).toEqual([2, 3])
    expect(await ask(4, 9)).toEqual([])
    expect(await ask(10, 1)).toEqual([])
    expect(await ask(null, -1)).toEqual([])
    expect(await ask(null, 5000)).toEqual([0, 1, 2, 3, 10, 11, 5000])
  })

  it('holds the newest bars when there are more than the limit, however far apart they are', async () => {
    await take(trades)
    expect(await ask(0, 11, 2)).toEqual([10, 11])
    expect(await ask(null, 11, 3)).toEqual([3, 10, 11])
    expect(await ask(null, 60_000, 2)).toEqual([5000, 60_000])
    expect(await ask(null, 999_999, 3)).toEqual([11, 5000, 60_000])
    expect(await ask(null, 60_000, 1, '1w')).toHaveLength(1)
  })

  it('does not mix symbols and knows nothing of one without bars', async () => {
    await take(trades)
    const [msft] = await candles(database.sql, { symbol: 'MSFT', limit: 1 })
    expect(msft?.close).toBe('690.22')
    expect(await candles(database.sql, { symbol: 'TSLA' })).toEqual([])
  })

  it('finds days and weeks by their midnight in New York, in summer and in winter', async () => {
    await record(database.sql, [dayBar('2026-03-06', 10), dayBar('2026-03-09', 11), dayBar('2026-11-02', 12)])
    const days = [
      Date.parse('2026-03-06T05:00:00Z') / 1000,
      Date.parse('2026-03-09T04:00:00Z') / 1000,
      Date.parse('2026-11-02T05:00:00Z') / 1000,
    ] as const
    const times = async (interval: Interval, startSec: number | null, endSec: number) =>
      (await candles(database.sql, { interval, startSec, endSec })).map((bar) => bar.timestamp)
    expect(await times('1d', null, days[2])).toEqual(days)
    expect(await times('1d', days[0], days[1])).toEqual(days.slice(0, 2))
    expect(await times('1d', days[0] + 1, days[2] - 1)).toEqual([days[1]])
    const monday = Date.parse('2026-03-02T05:00:00Z') / 1000
    expect(await times('1w', monday, days[1])).toEqual([monday, days[1]])
    expect(await times('1w', monday + 1, days[2])).toEqual(days.slice(1))
  })
})

describe('recorded days', () => {
  it('stand under their dates, with what was not recorded absent, and are followed by days of the venue', async () => {
    await record(database.sql, [dayBar('2026-07-29', 100), dayBar('2026-07-31', 104, null)])
    await take([
      { timeMs: Date.UTC(2026, 6, 31, 15), cents: 15_000, shares: 0 },
      { timeMs: Date.UTC(2026, 7, 1, 15), cents: 10_700, shares: 5 },
      { timeMs: Date.UTC(2026, 7, 1, 15, 1), cents: 10_800, shares: 9 },
    ])
    const days = await candles(database.sql, { interval: '1d' })
    expect(days.map(({ timestamp, ...bar }) => [new Date(timestamp * 1000).toISOString().slice(0, 10), bar])).toEqual([
      ['2026-07-29', { open: '100', high: '102', low: '98', close: '100', volume: '100' }],
      ['2026-07-31', { open: '104', high: '106', low: '102', close: '104', volume: null }],
      ['2026-08-01', { open: '107', high: '108', low: '107', close: '108', volume: '4' }],
    ])
    // A week is as complete as its days: one volume is not known.
    expect(await candles(database.sql, { interval: '1w' })).toEqual([
      { open: '100', high: '108', low: '98', close: '108', volume: null, timestamp: Date.UTC(2026, 6, 27, 4) / 1000 },
    ])
  })

  it('take the place of days the venue watched, once they are recorded', async () => {
    const trades = [3, 4, 5].map((day) => ({ timeMs: Date.UTC(2026, 7, day, 15), cents: 20_000 + day, shares: 0 }))
    await take(trades)
    await record(database.sql, [dayBar('2026-08-03', 300), dayBar('2026-08-05', 310)])
    const closes = async (interval: Interval) => (await candles(database.sql, { interval })).map((bar) => bar.close)
    expect([await closes('1d'), await closes('1w')]).toEqual([['300', '310'], ['310']])
    await take([{ timeMs: Date.UTC(2026, 7, 6, 15), cents: 29_000, shares: 0 }])
    expect([await closes('1d'), await closes('1w')]).toEqual([['300', '310', '290'], ['290']])
    expect((await candles(database.sql, { interval: '1w' }))[0]).toMatchObject({ open: '300', high: '312', low: '290' })
  })

  it('prints every digit of prices and volumes beyond what a float holds', async () => {
    const wide = { ...dayBar('2026-08-03', 1), high8: 12_345_678_901_234_567_891n, volumeWad: 10n ** 30n + 1n }
    await record(database.sql, [{ ...wide, open8: 1n, low8: 1n, close8: 100_000_010n }])
    expect(await candles(database.sql, { interval: '1d' })).toMatchObject([
      {
        open: '0.00000001',
        high: '123456789012.34567891',
        close: '1.0000001',
        volume: '1000000000000.000000000000000001',
      },
    ])
  })
})
