import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { type Adjustment, adjustmentFactors, type PricedAction, scaler } from './adjustment.ts'
import { usCalendar } from './calendar/us-calendar.ts'
import { replaceCorporateActions } from './corporate-action-store.ts'
import type { CorporateAction } from './corporate-actions.ts'
import { alwaysOpen, type MarketHours } from './hours.ts'
import { embeddedInstruments } from './instruments.ts'
import { CANDLES, ensurePartitions, MINUTE_BARS } from './partitions.ts'
import { upsertSymbols } from './store.ts'
import { type Ask, candles, dayBar, record } from './testing-bars.ts'

const E8 = 100_000_000n
const action = (exDate: string, changes: Partial<CorporateAction>): CorporateAction => ({
  symbol: 'AAPL',
  type: 'split',
  exDate,
  recordDate: null,
  payableDate: null,
  ratioFrom8: null,
  ratioTo8: null,
  cashAmount8: null,
  ...changes,
})
const split = (exDate: string, from: number, to: number) =>
  action(exDate, { ratioFrom8: BigInt(from) * E8, ratioTo8: BigInt(to) * E8 })
const dividend = (exDate: string, cents: number) =>
  action(exDate, { type: 'dividend', cashAmount8: BigInt(cents) * 1_000_000n })
const spinOff = (exDate: string, cents: number) =>
  action(exDate, { type: 'spin-off', cashAmount8: BigInt(cents) * 1_000_000n })

describe('scaler', () => {
  const positive = (bits: number) => fc.bigInt({ min: 1n, max: 1n << BigInt(bits) })
  it('rounds half up once, whatever the size of the fraction', () => {
    const property = fc.property(
      fc.bigInt({ min: 0n, max: 1n << 90n }),
      fc.oneof(positive(8), positive(60), positive(4000)),
      fc.oneof(positive(8), positive(60), positive(4000)),
      (raw, numerator, denominator) => {
        const scaled = scaler({ numerator, denominator })(raw)
        // scaled − 1/2 ≤ raw × numerator / denominator < scaled + 1/2
        const twice = 2n * raw * numerator
        expect((2n * scaled - 1n) * denominator <= twice && twice < (2n * scaled + 1n) * denominator).toBe(true)
      },
    )
    fc.assert(property, { numRuns: 2000, seed: 1 })
  })

  it.each([
    [1n, 1n, 2n, 1n],
    [3n, 1n, 2n, 2n],
    [1n, 1n, 3n, 0n],
    [2n, 1n, 3n, 1n],
    [5n, 1n, 10n, 1n],
    [7n, 3n, 3n, 7n],
    [10n ** 20n + 1n, 1n, 2n, (10n ** 20n + 2n) / 2n],
  ])('%d × %d / %d is %d', (raw, numerator, denominator, expected) => {
    expect(scaler({ numerator, denominator })(raw)).toBe(expected)
  })
})

describe('adjustmentFactors', () => {
  const priced = (one: CorporateAction, closeBefore: number | null): PricedAction => ({
    ...one,
    closeBefore8: closeBefore === null ? null : BigInt(closeBefore) * E8,
    playedMs: null,
  })

  const factorsOf = (actions: readonly PricedAction[], adjustment: Adjustment) =>
    adjustmentFactors(actions, adjustment, Date.parse)

  it('takes in every action of an ex-date and all later ones, newest first', () => {
    const actions = [
      priced(split('2020-08-31', 1, 4), 500),
      priced(dividend('2020-08-07', 100), 400),
      priced(dividend('2020-08-31', 500), 500),
    ]
    const ratio = (numerator: bigint, denominator: bigint) => ({ numerator, denominator })
    expect(factorsOf(actions, 'all')).toEqual([
      { beforeMs: Date.parse('2020-08-31'), price: ratio(99n, 400n), volume: ratio(4n, 1n) },
      { beforeMs: Date.parse('2020-08-07'), price: ratio(99n * 399n, 160_000n), volume: ratio(4n, 1n) },
    ])
    expect(factorsOf(actions, 'split')).toEqual([
      { beforeMs: Date.parse('2020-08-31'), price: ratio(1n, 4n), volume: ratio(4n, 1n) },
    ])
    expect(factorsOf(actions, 'dividend')).toHaveLength(2)
    expect(factorsOf(actions, 'spin-off')).toEqual([])
    expect(factorsOf(actions, 'raw')).toEqual([])
  })

  it('leaves out what no factor can express: an unknown close, an amount not below it', () => {
    const actions = [dividend('2020-01-02', 10_000), dividend('2020-01-03', 10_001), dividend('2020-01-04', 1)]
    const closes = [100, 100, null]
    expect(
      factorsOf(
        actions.map((one, i) => priced(one, closes[i] ?? null)),
        'all',
      ),
    ).toEqual([])
  })
})

describe('adjusted bars', () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await testDatabase()
    await database.sql.begin((tx) => upsertSymbols(tx, embeddedInstruments))
  })
  afterEach(() => database.drop())
  const load = (actions: readonly CorporateAction[]) => database.sql.begin((tx) => replaceCorporateActions(tx, actions))
  const closes = async (adjustment: Adjustment, ask: Ask = {}) =>
    (await candles(database.sql, { interval: '1d', adjustment, ...ask })).map((bar) => bar.close)

  it('differ by what each adjustment takes into account', async () => {
    await record(database.sql, [
      dayBar('2020-08-05', 400),
      dayBar('2020-08-06', 500),
      dayBar('2020-08-07', 480),
      dayBar('2020-08-28', 600),
      dayBar('2020-08-31', 150),
      dayBar('2020-09-01', 120),
    ])
    await load([dividend('2020-08-07', 500), split('2020-08-31', 1, 4), spinOff('2020-09-01', 3000)])
    expect(await closes('raw')).toEqual(['400', '500', '480', '600', '150', '120'])
    expect(await closes('split')).toEqual(['100', '125', '120', '150', '150', '120'])
    expect(await closes('dividend')).toEqual(['396', '495', '480', '600', '150', '120'])
    expect(await closes('spin-off')).toEqual(['320', '400', '384', '480', '120', '120'])
    expect(await closes('all')).toEqual(['79.2', '99', '96', '120', '120', '120'])
    const [first] = await candles(database.sql, { interval: '1d', adjustment: 'all' })
    expect(first).toMatchObject({ high: '79.596', low: '78.804', volume: '400' })
    expect((await candles(database.sql, { interval: '1d', adjustment: 'dividend' }))[0]?.volume).toBe('100')
  })

  it('keep the proportion to a token, whose shares a split multiplies: its price is continuous', async () => {
    const shares = [1n, 1n, 7n, 7n, 14n]
    const raw = [700, 714, 102, 105, 53]
    const dates = ['2014-06-05', '2014-06-06', '2014-06-09', '2014-06-10', '2014-06-11']
    await record(
      database.sql,
      dates.map((date, i) => dayBar(date, raw[i] ?? 0)),
    )
    await load([split('2014-06-09', 1, 7), split('2014-06-11', 1, 2)])
    const tokenPrices = raw.map((price, i) => BigInt(price) * (shares[i] ?? 0n))
    expect((await closes('split')).map((price) => Number(price) * 14)).toEqual(tokenPrices.map(Number))
    expect(tokenPrices).toEqual([700n, 714n, 714n, 735n, 742n])
  })

  it('round once to 8 decimals, half up, and leave unknown volumes unknown', async () => {
    await record(database.sql, [
      { ...dayBar('2020-01-02', 100, null), close8: 10_000_000_003n },
      dayBar('2020-01-03', 50),
    ])
    await load([split('2020-01-03', 1, 2)])
    expect(await candles(database.sql, { interval: '1d', adjustment: 'all', limit: 5 })).toMatchObject([
      { close: '50.00000002', volume: null },
      { close: '50', volume: '100' },
    ])
  })

  it('build a week with an ex-date in its middle from its adjusted days', async () => {
    const days = ['2020-08-21', '2020-08-24', '2020-08-25', '2020-08-26', '2020-08-27', '2020-08-31']
    const raw = [400, 404, 408, 98, 100, 104]
    await record(
      database.sql,
      days.map((date, i) => dayBar(date, raw[i] ?? 0)),
    )
    await load([split('2020-08-26', 1, 4)])
    const weeks = await candles(database.sql, { interval: '1w', adjustment: 'split' })
    expect(weeks.map(({ timestamp: _, ...bar }) => bar)).toEqual([
      { open: '100', high: '100.5', low: '99.5', close: '100', volume: '400' },
      { open: '101', high: '102.5', low: '96', close: '100', volume: '1000' },
      { open: '104', high: '106', low: '102', close: '104', volume: '100' },
    ])
    expect((await candles(database.sql, { interval: '1w' }))[1]).toMatchObject({ open: '404', high: '410', low: '96' })
    // The week alone, and the weeks beside it alone.
    expect(
      await candles(database.sql, { interval: '1w', adjustment: 'split', endSec: Date.UTC(2020, 7, 25) / 1000 }),
    ).toEqual(weeks.slice(0, 2))
    expect(await candles(database.sql, { interval: '1w', adjustment: 'split', limit: 1 })).toEqual(weeks.slice(2))
  })

  it('change nothing before an announced action has happened', async () => {
    await record(database.sql, [dayBar('2026-01-09', 200), dayBar('2026-01-12', 50)])
    await load([split('2026-01-12', 1, 4)])
    const at = (nowMs: number, hours: MarketHours) =>
      closes('all', { nowMs, hours, endSec: Date.UTC(2026, 0, 9, 12) / 1000 })
    const sundayEvening = Date.parse('2026-01-11T20:00:00-05:00')
    expect(await at(sundayEvening - 1, usCalendar)).toEqual(['200'])
    expect(await at(sundayEvening, usCalendar)).toEqual(['50'])
    expect(await at(sundayEvening, alwaysOpen)).toEqual(['200'])
    expect(await at(sundayEvening + 4 * 3_600_000, alwaysOpen)).toEqual(['50'])
  })

  it.each([
    ['the evening before in a market that keeps the calendar', usCalendar, 20],
    ['midnight in an always open market', alwaysOpen, 24],
  ])('of minutes to hours change at the beginning of the trade date: %s', async (_, hours, hour) => {
    const boundaryMs = Date.parse('2026-01-12T00:00:00-05:00') + hour * 3_600_000
    const { sql } = database
    for (const table of [MINUTE_BARS, CANDLES]) await ensurePartitions(sql, table, [boundaryMs])
    for (const offset of [-3600, 0]) {
      const start = new Date(boundaryMs + offset * 1000)
      await sql`insert into market_minute_bars (symbol, start_time, open_price8, high_price8, low_price8, close_price8,
          volume_wad, volume_total_wad)
        values ('AAPL', ${start}, 40000000000, 40000000000, 40000000000, 40000000000, 0, 0)`
      await sql`insert into market_candles (symbol, interval_sec, start_time, open_price8, high_price8, low_price8,
          close_price8, volume_wad)
        select 'AAPL', interval_sec, ${start}, 40000000000, 40000000000, 40000000000, 40000000000, 0
        from unnest(array[180, 300, 900, 3600]) as interval_sec`
    }
    await load([split('2026-01-13', 1, 4)])
    for (const interval of ['1m', '3m', '5m', '15m', '1h'] as const) {
      expect(await closes('all', { interval, hours }), interval).toEqual(['100', '400'])
    }
  })
})
