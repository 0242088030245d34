import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { WAD } from '../../lib/wad.ts'
import { insertAppliedSplit } from '../applied-splits.ts'
import { usCalendar } from '../calendar/us-calendar.ts'
import { alwaysOpen, type MarketHours } from '../hours.ts'
import { embeddedInstruments, type Instrument } from '../instruments.ts'
import type { Broker, BrokerOrderRequest, Side } from '../ports.ts'
import { upsertSymbols } from '../store.ts'
import { simulatedBroker } from './broker.ts'
import { PricePath } from './price-path.ts'
import { SimulatedPrices } from './prices.ts'

const START_MS = Date.UTC(2026, 7, 3, 15, 0, 0)
const apple = embeddedInstruments.find((candidate) => candidate.symbol === 'AAPL') as Instrument
/** A quarter of a share up to one share can be had of a second's quote. */
const thin = { ...apple, dailyVolumeShares: 86_400n }
const instruments: readonly Instrument[] = [
  apple,
  { ...thin, symbol: 'THIN' },
  { ...apple, symbol: 'DAYONLY', overnightTradable: false, fractionalEhEnabled: false },
]
const prices = (startMs: number) =>
  new SimulatedPrices(
    new Map(
      instruments.map((one) => [
        one.symbol,
        new PricePath(one, { seed: 's', price8: 23_000_000_000n, timeMs: startMs }),
      ]),
    ),
  )

let database: TestDatabase
let nowMs: number
beforeEach(async () => {
  database = await testDatabase()
  nowMs = START_MS
})
afterEach(() => database.drop())

const start = (options: { hours?: MarketHours; delaySteps?: number; startMs?: number } = {}): Broker =>
  simulatedBroker({
    sql: database.sql,
    seed: 's',
    marketClock: { nowMs: () => nowMs },
    hours: options.hours ?? alwaysOpen,
    instruments,
    prices: prices(options.startMs ?? START_MS),
    maxOrderNotionalWad: 1_000_000n * WAD,
    maxFillDelaySteps: options.delaySteps ?? 0,
  })

interface Limit {
  readonly side?: Side
  readonly shares?: number
  readonly price8: bigint
  readonly symbol?: string
  readonly expiresAtMs?: number
}

const limit = (clientOrderId: string, { side = 'buy', shares = 1, price8, symbol = 'AAPL', expiresAtMs }: Limit) =>
  ({
    clientOrderId,
    symbol,
    type: 'limit',
    side,
    limitPrice8: price8,
    quantityWad: (BigInt(Math.round(shares * 1000)) * WAD) / 1000n,
    expiresAtMs: expiresAtMs ?? START_MS + 86_400_000,
  }) satisfies BrokerOrderRequest

const executions = async (broker: Broker, id?: string) =>
  (await broker.executionsSince(null, 1000)).executions.filter((one) => id === undefined || one.clientOrderId === id)
const order = async (broker: Broker, id: string) => (await broker.findOrders([id]))[0]
const quote = (symbol: string, timeMs: number) => {
  const found = prices(START_MS).quoteAt(symbol, timeMs, [])
  if (!found) throw new Error(`no quote of ${symbol}`)
  return found
}

/** The first second from `fromMs` on in which the condition holds. */
function firstSecond(fromMs: number, holds: (timeMs: number) => boolean): number {
  for (let timeMs = fromMs; timeMs < fromMs + 86_400_000; timeMs += 1000) if (holds(timeMs)) return timeMs
  throw new Error('the price never gets there')
}

describe('a limit order', () => {
  it('rests until the quote meets its price, and fills in that very second, also when nobody looked', async () => {
    const limit8 = quote('AAPL', START_MS).ask8 - 10_000_000n
    const meetsMs = firstSecond(START_MS, (timeMs) => quote('AAPL', timeMs).ask8 <= limit8)
    expect(meetsMs).toBeGreaterThan(START_MS)
    expect(await start().submit(limit('a', { price8: limit8 }))).toMatchObject({ status: 'accepted' })
    nowMs = meetsMs - 1
    expect(await executions(start())).toEqual([])
    expect(await order(start(), 'a')).toMatchObject({ status: 'accepted', filledQuantityWad: 0n })
    nowMs = meetsMs + 5_000_000
    expect(await executions(start())).toMatchObject([
      { clientOrderId: 'a', quantityWad: WAD, price8: quote('AAPL', meetsMs).ask8, timeMs: meetsMs },
    ])
    expect(await order(start(), 'a')).toMatchObject({ status: 'filled', filledQuantityWad: WAD })
  })

  it('to sell fills at the bid, at or above its price; one that is met at once gets the better quote', async () => {
    const { bid8, ask8 } = quote('AAPL', START_MS)
    expect(await start().submit(limit('s', { side: 'sell', price8: bid8 - 100_000_000n }))).toMatchObject({
      status: 'filled',
    })
    expect(await start().submit(limit('b', { price8: ask8 }))).toMatchObject({ status: 'filled' })
    expect(await start().submit(limit('no', { side: 'sell', price8: bid8 + 1n }))).toMatchObject({ status: 'accepted' })
    expect((await executions(start())).map(({ clientOrderId, price8 }) => [clientOrderId, price8])).toEqual([
      ['s', bid8],
      ['b', ask8],
    ])
  })

  it('fills in parts as far as the size of each quote goes, the same at every look and in every process', async () => {
    const high8 = 50_000_000_000n
    await start().submit(limit('often', { symbol: 'THIN', shares: 10, price8: high8 }))
    for (let second = 0; second < 60; second++) {
      nowMs = START_MS + second * 1000
      await start().openOrders()
    }
    const often = await executions(start(), 'often')
    expect(often.length).toBeGreaterThan(9)
    expect(often.every(({ quantityWad }) => quantityWad > 0n && quantityWad <= WAD)).toBe(true)
    expect(often.reduce((sum, { quantityWad }) => sum + quantityWad, 0n)).toBe(10n * WAD)
    expect(new Set(often.map(({ executionId }) => executionId)).size).toBe(often.length)

    const other = await testDatabase()
    try {
      nowMs = START_MS
      const twin = simulatedBroker({
        sql: other.sql,
        seed: 's',
        marketClock: { nowMs: () => nowMs },
        hours: alwaysOpen,
        instruments,
        prices: prices(START_MS),
        maxOrderNotionalWad: 1_000_000n * WAD,
        maxFillDelaySteps: 0,
      })
      await twin.submit(limit('often', { symbol: 'THIN', shares: 10, price8: high8 }))
      nowMs = START_MS + 3_600_000
      expect(await executions(twin, 'often')).toEqual(often)
    } finally {
      await other.drop()
    }
  })

  it('catches up with any time away in steps', async () => {
    await start().submit(limit('a', { price8: 1n, expiresAtMs: START_MS + 5 * 3_600_000 }))
    nowMs = START_MS + 6 * 3_600_000
    const statuses = new Set<string>()
    for (let look = 0; look < 20; look++) statuses.add((await order(start(), 'a'))?.status ?? '')
    expect([...statuses]).toEqual(['accepted', 'expired'])
  })

  it('ends at its expiry with what it had, and is not taken after it', async () => {
    const expiresAtMs = START_MS + 3000
    await start().submit(limit('a', { symbol: 'THIN', shares: 10, price8: 50_000_000_000n, expiresAtMs }))
    nowMs = expiresAtMs
    const ended = await order(start(), 'a')
    expect(ended?.status).toBe('expired')
    expect(ended?.filledQuantityWad).toBeGreaterThan(0n)
    expect((await executions(start())).every(({ timeMs }) => timeMs < expiresAtMs)).toBe(true)
    expect(await start().submit(limit('late', { price8: 50_000_000_000n, expiresAtMs }))).toMatchObject({
      status: 'expired',
    })
    nowMs += 60_000
    expect(await order(start(), 'a')).toEqual(ended)
  })

  it('may be filled further between the wish to cancel it and its end', async () => {
    const broker = start({ delaySteps: 7 })
    await broker.submit(limit('a', { symbol: 'THIN', shares: 100, price8: 50_000_000_000n }))
    nowMs += 9000
    const asked = await broker.cancel('a')
    expect(asked?.status).toBe('partially_filled')
    nowMs += 1000
    expect(await broker.cancel('a')).toMatchObject({ status: 'partially_filled' })
    nowMs += 3_600_000
    const ended = await order(broker, 'a')
    expect(ended?.status).toBe('canceled')
    expect(ended?.filledQuantityWad).toBeGreaterThan(asked?.filledQuantityWad ?? 0n)
    expect(ended?.filledQuantityWad).toBeLessThan(20n * WAD)
    expect(await broker.cancel('a')).toEqual(ended)
  })

  it('that is sent again is the one that stands; the id with other terms is refused', async () => {
    const { ask8 } = quote('AAPL', START_MS)
    const first = await start().submit(limit('a', { price8: ask8 }))
    nowMs += 60_000
    expect(await start().submit(limit('a', { price8: ask8 }))).toEqual(first)
    await expect(start().submit(limit('a', { price8: ask8 + 1n }))).rejects.toThrow('was used before')
    await expect(start().submit(limit('a', { price8: ask8, shares: 2 }))).rejects.toThrow('was used before')
    expect(await executions(start())).toHaveLength(1)
  })

  it.each([
    ['a price of nothing', limit('x', { price8: 0n }), 'a limit price is positive'],
    ['more than the broker takes', limit('x', { price8: 1_000_000n * 10n ** 8n, shares: 2 }), 'the order is larger'],
    ['nothing', limit('x', { price8: 1n, shares: 0 }), 'an amount is positive'],
  ])('of %s is rejected', async (_, request, reason) => {
    expect(await start().submit(request)).toMatchObject({
      status: 'rejected',
      rejectReason: expect.stringContaining(reason),
    })
  })
})

describe('sessions', () => {
  // Friday 7 August 2026, 20:30 in New York: closed; the week opens on Sunday at 20:00.
  const FRIDAY_NIGHT = Date.UTC(2026, 7, 8, 0, 30)
  const SUNDAY_OPEN = Date.UTC(2026, 7, 10, 0, 0)
  const MONDAY_REGULAR = Date.UTC(2026, 7, 10, 13, 30)
  const firstFill = async (symbol: string, shares: number) => {
    nowMs = FRIDAY_NIGHT
    const options = { hours: usCalendar, startMs: FRIDAY_NIGHT }
    await start(options).submit(
      limit(symbol, { symbol, shares, price8: 50_000_000_000n, expiresAtMs: Date.UTC(2026, 7, 11) }),
    )
    nowMs = Date.UTC(2026, 7, 10, 20, 0)
    return (await executions(start(options), symbol))[0]?.timeMs
  }

  it('overnight and extended hours fill where the asset trades then', async () => {
    expect(await firstFill('AAPL', 1.5)).toBe(SUNDAY_OPEN)
  })

  it('whole shares without the overnight flag wait for the pre-market, fractions for the regular session', async () => {
    expect(await firstFill('DAYONLY', 2)).toBe(Date.UTC(2026, 7, 10, 8, 0))
    await database.sql`truncate simulated_broker_orders, simulated_broker_executions`
    expect(await firstFill('DAYONLY', 1.5)).toBe(MONDAY_REGULAR)
  })
})

describe('a split', () => {
  const split = {
    symbol: 'AAPL',
    exDate: '2026-08-04',
    effectiveMs: START_MS + 10_000,
    from8: 10n ** 8n,
    to8: 4n * 10n ** 8n,
  }
  beforeEach(async () => {
    await database.sql.begin((tx) => upsertSymbols(tx, [apple]))
    expect(await insertAppliedSplit(database.sql, split)).toBe(true)
    expect(await insertAppliedSplit(database.sql, { ...split, to8: 5n })).toBe(false)
  })

  it('divides prices from its instant on, and cancels the orders that were open then', async () => {
    await start().submit(limit('open', { price8: 1n }))
    nowMs = split.effectiveMs - 1
    expect(await order(start(), 'open')).toMatchObject({ status: 'accepted' })
    nowMs = split.effectiveMs
    expect(await order(start(), 'open')).toMatchObject({ status: 'canceled', rejectReason: 'the shares were split' })
    const whole = quote('AAPL', nowMs)
    const after = prices(START_MS).quoteAt('AAPL', nowMs, [split])
    expect(after?.price8).toBeGreaterThanOrEqual(whole.price8 / 4n - 1_000_000n)
    expect(after?.price8).toBeLessThanOrEqual(whole.price8 / 4n + 1_000_000n)
    expect(after?.bid8).toBeLessThanOrEqual(whole.bid8 / 4n)
    expect(after?.ask8).toBeGreaterThanOrEqual(whole.ask8 / 4n)
    expect(await start().submit(limit('new', { price8: whole.price8 / 2n }))).toMatchObject({ status: 'filled' })
    expect(await executions(start())).toMatchObject([{ clientOrderId: 'new', price8: after?.ask8 }])
  })

  it('multiplies what is held, and not what is traded later', async () => {
    expect(await start().positions()).toEqual([])
    const filled = async (clientOrderId: string, side: 'buy' | 'sell') => {
      const price8 = side === 'buy' ? 10n ** 12n : 1n
      expect(await start().submit(limit(clientOrderId, { side, price8 }))).toMatchObject({ status: 'filled' })
      return (await order(start(), clientOrderId))?.filledQuantityWad ?? 0n
    }
    const before = await filled('before', 'buy')
    expect(await start().positions()).toEqual([{ symbol: 'AAPL', quantityWad: before }])
    nowMs = split.effectiveMs
    expect(await start().positions()).toEqual([{ symbol: 'AAPL', quantityWad: 4n * before }])
    const sold = await filled('after', 'sell')
    expect(await start().positions()).toEqual([{ symbol: 'AAPL', quantityWad: 4n * before - sold }])
  })

  it('does not touch a path that began after it', () => {
    const later = prices(split.effectiveMs)
    const timeMs = split.effectiveMs + 5000
    expect(later.quoteAt('AAPL', timeMs, [split])).toEqual(later.quoteAt('AAPL', timeMs, []))
  })
})
