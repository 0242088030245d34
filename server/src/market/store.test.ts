import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { createLogger } from '../lib/logger.ts'
import { insertAppliedSplit } from './applied-splits.ts'
import { usCalendar } from './calendar/us-calendar.ts'
import { alwaysOpen, type MarketHours } from './hours.ts'
import { embeddedInstruments } from './instruments.ts'
import type { QuoteSource, SourceQuote } from './ports.ts'
import { findSymbol, latestQuote, upsertSymbols } from './store.ts'
import { pollQuotes } from './tasks.ts'
import { dayBar, record } from './testing-bars.ts'

// Monday 3 August 2026, 11:00 in New York.
const START_MS = Date.UTC(2026, 7, 3, 15, 0, 0)
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

let database: TestDatabase
beforeEach(async () => {
  database = await testDatabase()
  await database.sql.begin((tx) => upsertSymbols(tx, embeddedInstruments))
})
afterEach(() => database.drop())

/** A quote of AAPL at an offset from the start; price in whole dollars. */
const quote = (offsetMs: number, price: number, volume = 0, changes: Partial<SourceQuote> = {}): SourceQuote => {
  const price8 = BigInt(price) * 100_000_000n
  const volumeWad = BigInt(volume) * 10n ** 18n
  return {
    symbol: 'AAPL',
    price8,
    bid8: price8 - 1n,
    ask8: price8 + 1n,
    volumeWad,
    timeMs: START_MS + offsetMs,
    ...changes,
  }
}

async function take(
  quotes: readonly SourceQuote[],
  nowMs = START_MS + 9999 * HOUR_MS,
  hours: MarketHours = alwaysOpen,
): Promise<readonly string[]> {
  const source: QuoteSource = { name: 'test', symbols: () => ['AAPL'], latestQuotes: async () => quotes }
  const market = { source, clock: { nowMs: () => nowMs }, hours }
  return pollQuotes({ sql: database.sql, log: createLogger('silent') }, market)
}

const aapl = () => latestQuote(database.sql, 'AAPL')
const bars = () => database.sql`
  select start_time, div(open_price8, 100000000) as open, div(high_price8, 100000000) as high, div(low_price8, 100000000) as low,
    div(close_price8, 100000000) as close, div(volume_wad, 1000000000000000000) as volume
  from market_minute_bars where symbol = 'AAPL' order by start_time`
const bar = (offsetMs: number, [open, high, low, close]: number[], volume: number) => ({
  start_time: new Date(START_MS + offsetMs),
  ...Object.fromEntries(
    Object.entries({ open, high, low, close, volume }).map(([key, value]) => [key, BigInt(value ?? 0)]),
  ),
})

describe('recordQuotes', () => {
  it('lists a symbol without a quote until the first arrives, and reads everything back exactly', async () => {
    expect(await findSymbol(database.sql, 'AAPL')).toMatchObject({ name: 'Apple Inc.', tradable: true, quote: null })
    expect(await aapl()).toBeNull()
    const price8 = 12_345_678_901_234_567_890_123n
    await take([quote(0, 0, 0, { price8, bid8: 1n, ask8: price8 + 7n, volumeWad: 10n ** 40n + 1n })])
    expect(await aapl()).toEqual({
      price8,
      bid8: 1n,
      ask8: price8 + 7n,
      open8: price8,
      high8: price8,
      low8: price8,
      previousClose8: 23_000_000_000n,
      change24h8: price8 - 23_000_000_000n,
      change24hPpm: 536_768_647_878_763_821n,
      volume24hWad: 0n,
      session: 2,
      sourceTimeMs: START_MS,
    })
  })

  it('builds a bar a minute from the quotes that came, and none where none came', async () => {
    for (const one of [quote(0, 230, 10), quote(20_000, 235, 15), quote(40_000, 228, 16), quote(59_999, 231, 20)]) {
      await take([one])
    }
    await take([quote(MINUTE_MS, 232, 27)])
    await take([quote(5 * MINUTE_MS + 1, 240, 1000)])
    await take([quote(5 * MINUTE_MS + 2, 239, 1003)])
    expect(await bars()).toEqual([
      bar(0, [230, 235, 228, 231], 10),
      bar(MINUTE_MS, [232, 232, 232, 232], 7),
      bar(5 * MINUTE_MS, [240, 240, 239, 239], 3),
    ])
    expect((await aapl())?.volume24hWad).toBe(20n * 10n ** 18n)
  })

  it('changes nothing when a round is repeated, is older, or is of an unlisted symbol', async () => {
    await take([quote(0, 230)])
    expect(await take([quote(30_000, 231, 5)])).toEqual(['AAPL'])
    const before = [await aapl(), await bars()]
    expect(await take([quote(30_000, 500, 9)])).toEqual([])
    expect(await take([quote(29_999, 500, 9)])).toEqual([])
    expect(await take([quote(40_000, 500, 9, { symbol: 'XYZ' })])).toEqual([])
    expect(await take([])).toEqual([])
    expect([await aapl(), await bars()]).toEqual(before)
  })

  it('takes the newest where a round has a symbol twice', async () => {
    await take([quote(1000, 231), quote(2000, 232), quote(1500, 233)])
    expect((await aapl())?.price8).toBe(23_200_000_000n)
  })

  it('counts on when the source starts its counter again', async () => {
    await take([quote(0, 230, 900)])
    await take([quote(1000, 230, 1000)])
    await take([quote(2000, 230, 40)])
    expect((await aapl())?.volume24hWad).toBe(140n * 10n ** 18n)
  })

  it('takes the price and the volume of 24 hours ago from the bars', async () => {
    await take([quote(0, 200, 0)])
    await take([quote(30_000, 210, 100)])
    await take([quote(20 * HOUR_MS, 250, 400)])
    await take([quote(20 * HOUR_MS + 1000, 252, 460)])
    await take([quote(24 * HOUR_MS + 59_000, 240, 1000)])
    // The first minute ends at 24 h and 1 min: until then the starting price of 230 came before.
    expect(await aapl()).toMatchObject({ change24h8: 1_000_000_000n, volume24hWad: 160n * 10n ** 18n })
    await take([quote(24 * HOUR_MS + MINUTE_MS, 231, 1010)])
    expect(await aapl()).toMatchObject({
      change24h8: 2_100_000_000n,
      change24hPpm: 100_000n,
      volume24hWad: 70n * 10n ** 18n,
    })
  })

  it('starts open, high, low and previous close anew at midnight in New York', async () => {
    await take([quote(0, 230)])
    await take([quote(1000, 250)])
    await take([quote(13 * HOUR_MS - 1, 220)])
    const monday = {
      open8: 23_000_000_000n,
      high8: 25_000_000_000n,
      low8: 22_000_000_000n,
      previousClose8: 23_000_000_000n,
    }
    expect(await aapl()).toMatchObject(monday)
    await take([quote(13 * HOUR_MS, 225)])
    await take([quote(13 * HOUR_MS + 1, 224)])
    const tuesday = {
      open8: 22_500_000_000n,
      high8: 22_500_000_000n,
      low8: 22_400_000_000n,
      previousClose8: 22_000_000_000n,
    }
    expect(await aapl()).toMatchObject(tuesday)
  })

  it('rounds the change in per cent half away from zero', async () => {
    await database.sql`update market_symbols set last_close_price8 = 300000000 where symbol = 'AAPL'`
    await take([quote(0, 1)])
    expect((await aapl())?.change24hPpm).toBe(-666_667n)
    await database.sql`update market_symbols set last_close_price8 = 160000000 where symbol = 'MSFT'`
    await take([quote(0, 1, 0, { symbol: 'MSFT', price8: 160_000_040n })])
    expect((await latestQuote(database.sql, 'MSFT'))?.change24hPpm).toBe(0n)
    await take([quote(1, 1, 0, { symbol: 'MSFT', price8: 160_000_080n })])
    expect((await latestQuote(database.sql, 'MSFT'))?.change24hPpm).toBe(1n)
  })

  it.each([
    ['a price of zero', { price8: 0n }],
    ['a negative bid', { bid8: -1n }],
    ['a crossed book', { bid8: 24_000_000_000n }],
    ['a negative volume', { volumeWad: -1n }],
    ['a time to come', { timeMs: START_MS + 5001 }],
  ])('leaves out a quote with %s and takes the others', async (_, changes) => {
    const good = quote(0, 430, 0, { symbol: 'MSFT' })
    expect(await take([quote(0, 230, 0, changes), good], START_MS)).toEqual(['MSFT'])
  })

  it('counts a quote once when two keepers take it at the same time', async () => {
    const { sql } = database
    await take([quote(0, 230, 0)])
    let both: Promise<readonly string[][]> = Promise.resolve([])
    await sql.begin(async (tx) => {
      await tx`select 1 from market_quotes for update`
      both = Promise.all([take([quote(1000, 230, 100)]), take([quote(1000, 230, 100)])]) as Promise<string[][]>
      await vi.waitFor(async () => {
        const [waiting] = await sql`
          select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        expect(waiting).toEqual({ count: 2n })
      })
    })
    expect((await both).flat()).toEqual(['AAPL'])
    expect((await aapl())?.volume24hWad).toBe(100n * 10n ** 18n)
    expect((await bars())[0]?.volume).toBe(100n)
  })

  it('makes the partition of each new month', async () => {
    await take([quote(0, 230)])
    await take([quote(31 * 24 * HOUR_MS, 231)])
    await Promise.all([take([quote(62 * 24 * HOUR_MS, 232)]), take([quote(62 * 24 * HOUR_MS, 232)])])
    const partitions = await database.sql`
      select inhrelid::regclass::text as name from pg_inherits where inhparent = 'market_minute_bars'::regclass order by 1`
    expect(partitions.map((row) => row.name)).toEqual([
      'market_minute_bars_2026_08',
      'market_minute_bars_2026_09',
      'market_minute_bars_2026_10',
    ])
    expect(await bars()).toHaveLength(3)
  })
})

/** A split of AAPL into `to` that the operator applies at an offset from the start. */
const split = (exDate: string, offsetMs: number, to: bigint) =>
  insertAppliedSplit(database.sql, { symbol: 'AAPL', exDate, effectiveMs: START_MS + offsetMs, from8: 1n, to8: to })

describe('what a quote is compared with', () => {
  const compared = async () => {
    const { previousClose8, change24hPpm } = (await aapl()) ?? {}
    return { previousClose8, change24hPpm }
  }

  it('is in the shares of all splits of a day', async () => {
    await take([quote(-24 * HOUR_MS, 240)])
    await take([quote(0, 240)])
    await split('2026-08-03', HOUR_MS, 4n)
    await split('2026-08-01', 2 * HOUR_MS, 3n)
    await take([quote(HOUR_MS, 60)])
    expect(await compared()).toEqual({ previousClose8: 6_000_000_000n, change24hPpm: 0n })
    await take([quote(2 * HOUR_MS, 20)])
    expect(await compared()).toEqual({ previousClose8: 2_000_000_000n, change24hPpm: 0n })
  })

  it('is in the shares of a split while nothing traded, however long ago that price is', async () => {
    await take([quote(0, 240)])
    await split('2026-08-03', HOUR_MS, 4n)
    await take([quote(60 * HOUR_MS, 60)])
    expect(await compared()).toEqual({ previousClose8: 6_000_000_000n, change24hPpm: 0n })
  })

  it('is in the shares of a split after the day whose recorded close it is', async () => {
    await record(database.sql, [dayBar('2026-08-02', 240)])
    await split('2026-08-03', HOUR_MS, 4n)
    await take([quote(60 * HOUR_MS, 60)])
    expect(await compared()).toEqual({ previousClose8: 6_000_000_000n, change24hPpm: 0n })
  })

  it('is in the shares of the ex-date at a real market, where a split was applied late', async () => {
    await database.sql`insert into market_origin (origin) values ('alpaca test')`
    const atOpen = (offsetMs: number, price: number) => take([quote(offsetMs, price)], START_MS + offsetMs, usCalendar)
    // Tuesday's trade date begins on Monday at 20:00, nine hours after the start.
    await atOpen(8 * HOUR_MS, 240)
    await atOpen(10 * HOUR_MS, 60)
    await split('2026-08-04', 10.5 * HOUR_MS, 4n)
    await atOpen(11 * HOUR_MS, 60)
    expect(await compared()).toEqual({ previousClose8: 6_000_000_000n, change24hPpm: expect.any(BigInt) })
    await atOpen(32.5 * HOUR_MS, 60)
    expect(await compared()).toEqual({ previousClose8: 6_000_000_000n, change24hPpm: 0n })
    await atOpen(34.25 * HOUR_MS, 60)
    expect(await compared()).toEqual({ previousClose8: 6_000_000_000n, change24hPpm: 0n })
  })
})
