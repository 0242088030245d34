import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { WAD } from '../../lib/wad.ts'
import { usCalendar } from '../calendar/us-calendar.ts'
import { alwaysOpen, type MarketHours } from '../hours.ts'
import { embeddedInstruments, type Instrument } from '../instruments.ts'
import type { Broker, BrokerOrderRequest } from '../ports.ts'
import { simulatedBroker } from './broker.ts'
import { PricePath } from './price-path.ts'
import { SimulatedPrices } from './prices.ts'

const START_MS = Date.UTC(2026, 7, 3, 15, 0, 0)
const apple = embeddedInstruments.find((candidate) => candidate.symbol === 'AAPL') as Instrument
const instruments: readonly Instrument[] = [
  apple,
  { ...apple, symbol: 'HALT', tradable: false },
  { ...apple, symbol: 'BRK', fractionable: false },
]
const paths = new Map(
  instruments.map((one) => [one.symbol, new PricePath(one, { seed: 's', price8: 23_000_000_000n, timeMs: START_MS })]),
)
const path = paths.get('AAPL') as PricePath

let database: TestDatabase
let nowMs: number
beforeEach(async () => {
  database = await testDatabase()
  nowMs = START_MS + 500
})
afterEach(() => database.drop())

const start = (maxFillDelaySteps = 0, seed = 's', hours: MarketHours = alwaysOpen): Broker =>
  simulatedBroker({
    sql: database.sql,
    seed,
    marketClock: { nowMs: () => nowMs },
    hours,
    instruments,
    prices: new SimulatedPrices(paths),
    maxOrderNotionalWad: 1_000_000n * WAD,
    maxFillDelaySteps,
  })
const buy = (clientOrderId: string, notionalWad: bigint, symbol = 'AAPL'): BrokerOrderRequest => ({
  clientOrderId,
  symbol,
  type: 'market',
  side: 'buy',
  notionalWad,
  expiresAtMs: null,
})
const sell = (clientOrderId: string, quantityWad: bigint, symbol = 'AAPL'): BrokerOrderRequest => ({
  clientOrderId,
  symbol,
  type: 'market',
  side: 'sell',
  quantityWad,
  expiresAtMs: null,
})

describe('simulatedBroker', () => {
  it('keeps orders that come outside the regular session until the next one, and fills them at its first quote', async () => {
    // Friday 7 August 2026, 15:59:59, 16:00 and 20:00 in New York; Monday's regular session begins at 9:30.
    const opensMs = Date.UTC(2026, 7, 10, 13, 30)
    const broker = start(0, 's', usCalendar)
    const order = async (clientOrderId: string, timeMs: number) => {
      nowMs = timeMs
      return (await broker.submit(buy(clientOrderId, 100n * WAD))).status
    }
    expect([
      await order('in time', Date.UTC(2026, 7, 7, 19, 59, 59)),
      await order('late', Date.UTC(2026, 7, 7, 20, 0)),
      await order('weekend', Date.UTC(2026, 7, 8, 15, 0)),
      await order('early', opensMs - 1),
    ]).toEqual(['filled', 'accepted', 'accepted', 'accepted'])
    nowMs = opensMs
    const { executions } = await broker.executionsSince(null, 10)
    const atOpen = { timeMs: opensMs, price8: path.quoteAt(path.stepAt(opensMs)).ask8 }
    expect(executions.map(({ clientOrderId, timeMs, price8 }) => ({ clientOrderId, timeMs, price8 }))).toEqual([
      expect.objectContaining({ clientOrderId: 'in time' }),
      { clientOrderId: 'late', ...atOpen },
      { clientOrderId: 'weekend', ...atOpen },
      { clientOrderId: 'early', ...atOpen },
    ])
  })

  it('fills a buy at the ask and a sell at the bid, in billionths of a share, never more than the notional buys', async () => {
    const broker = start()
    const quote = path.quoteAt(0n)
    expect(await broker.submit(buy('b', 1000n * WAD))).toMatchObject({ status: 'filled', rejectReason: null })
    expect(await broker.submit(sell('s', 1_234_567_891n * 10n ** 9n))).toMatchObject({ status: 'filled' })
    const { executions } = await broker.executionsSince(null, 10)
    const [bought, sold] = executions
    expect(bought).toMatchObject({ clientOrderId: 'b', side: 'buy', price8: quote.ask8, timeMs: START_MS + 500 })
    expect(sold).toMatchObject({ side: 'sell', price8: quote.bid8, quantityWad: 1_234_567_891n * 10n ** 9n })
    const quantityWad = bought?.quantityWad ?? 0n
    expect(quantityWad % 10n ** 9n).toBe(0n)
    expect(quantityWad * quote.ask8).toBeLessThanOrEqual(1000n * WAD * 10n ** 8n)
    expect((quantityWad + 10n ** 9n) * quote.ask8).toBeGreaterThan(1000n * WAD * 10n ** 8n)
  })

  it('answers a repeated order with the one that stands, also to another process at another price', async () => {
    const first = await start().submit(buy('once', 50n * WAD))
    nowMs += 3_600_000
    const again = await Promise.all(Array.from({ length: 8 }, () => start().submit(buy('once', 50n * WAD))))
    for (const answer of again) expect(answer).toEqual(first)
    expect((await start().executionsSince(null, 10)).executions).toHaveLength(1)
    await expect(start().submit(buy('once', 51n * WAD))).rejects.toThrow('was used before')
    await expect(start().submit(sell('once', 50n * WAD))).rejects.toThrow('was used before')
  })

  it.each([
    ['an unknown symbol', buy('x', WAD, 'XYZ'), 'XYZ is not known'],
    ['a symbol that is not tradable', buy('x', WAD, 'HALT'), 'HALT is not tradable'],
    ['a notional of whole-share stock', buy('x', 500n * WAD, 'BRK'), 'BRK trades in whole shares only'],
    ['a fraction of whole-share stock', sell('x', WAD / 2n, 'BRK'), 'BRK trades in whole shares only'],
    ['a large buy', buy('x', 1_000_000n * WAD + 10n ** 9n), 'the order is larger than the broker takes'],
    ['a large sell', sell('x', 5_000n * WAD), 'the order is larger than the broker takes'],
    ['ten decimals', sell('x', WAD + 10n ** 8n), 'an amount is positive and has at most 9 decimals'],
    ['nothing', buy('x', 0n), 'an amount is positive and has at most 9 decimals'],
    ['less than it can fill', buy('x', 10n ** 9n), 'the amount buys less than 10^-9 shares'],
  ])('rejects %s, for ever', async (_, order, rejectReason) => {
    const answer = await start().submit(order)
    expect(answer).toMatchObject({ status: 'rejected', rejectReason, filledQuantityWad: 0n })
    nowMs += 60_000
    expect(await start().submit(order)).toEqual(answer)
    expect((await start().executionsSince(null, 10)).executions).toEqual([])
  })

  it('takes the largest order and whole shares', async () => {
    expect(await start().submit(buy('max', 1_000_000n * WAD))).toMatchObject({ status: 'filled' })
    expect(await start().submit(sell('whole', 2n * WAD, 'BRK'))).toMatchObject({ status: 'filled' })
  })

  it('fills a delayed order in its own second, at its own price, also when nobody looked', async () => {
    const ids = Array.from({ length: 20 }, (_, i) => `late-${i}`)
    for (const id of ids) await start(5).submit(buy(id, 100n * WAD))
    const open = await start(5).openOrders()
    expect(open.length).toBeGreaterThan(5)
    expect(open.length).toBeLessThan(20)
    nowMs += 86_400_000
    const { executions } = await start(5).executionsSince(null, 100)
    expect(await start(5).openOrders()).toEqual([])
    expect(executions).toHaveLength(20)
    for (const { timeMs, price8 } of executions) {
      expect(timeMs).toBeLessThanOrEqual(START_MS + 5500)
      expect(price8).toBe(path.quoteAt(path.stepAt(timeMs)).ask8)
    }
    expect(new Set(executions.map((execution) => execution.timeMs)).size).toBe(6)
    const other = await testDatabase()
    nowMs = START_MS + 500
    const twin = simulatedBroker({
      sql: other.sql,
      seed: 's',
      marketClock: { nowMs: () => nowMs },
      hours: alwaysOpen,
      instruments,
      prices: new SimulatedPrices(paths),
      maxOrderNotionalWad: 1_000_000n * WAD,
      maxFillDelaySteps: 5,
    })
    for (const id of ids.toReversed()) await twin.submit(buy(id, 100n * WAD))
    nowMs += 86_400_000
    const sorted = (list: typeof executions) => list.toSorted((a, b) => (a.executionId < b.executionId ? -1 : 1))
    expect(sorted((await twin.executionsSince(null, 100)).executions)).toEqual(sorted(executions))
    await other.drop()
  })

  it('cancels what is still open, and only that', async () => {
    const saturday = Date.UTC(2026, 7, 8, 15, 0)
    nowMs = saturday
    const broker = start(0, 's', usCalendar)
    await broker.submit(buy('open', 100n * WAD))
    expect(await broker.cancel('open')).toMatchObject({ status: 'canceled' })
    nowMs += 3 * 86_400_000
    expect(await broker.findOrders(['open', 'absent'])).toMatchObject([{ status: 'canceled', filledQuantityWad: 0n }])
    await broker.submit(buy('filled', 100n * WAD))
    nowMs += 86_400_000
    expect(await broker.cancel('filled')).toMatchObject({ status: 'filled' })
    expect(await broker.cancel('absent')).toBeNull()
  })

  it('ends a market order at its expiry, and one that comes later at once', async () => {
    nowMs = Date.UTC(2026, 7, 8, 15, 0)
    const broker = start(0, 's', usCalendar)
    const expiresAtMs = Date.UTC(2026, 7, 10, 13, 0)
    expect(await broker.submit({ ...buy('a', 100n * WAD), expiresAtMs })).toMatchObject({ status: 'accepted' })
    nowMs = Date.UTC(2026, 7, 10, 13, 30)
    expect(await broker.findOrders(['a'])).toMatchObject([{ status: 'expired', filledQuantityWad: 0n }])
    expect(await broker.submit({ ...buy('b', 100n * WAD), expiresAtMs })).toMatchObject({ status: 'expired' })
    expect((await broker.executionsSince(null, 10)).executions).toEqual([])
  })

  it('pages through executions by cursor', async () => {
    const broker = start()
    for (let i = 0; i < 5; i += 1) await broker.submit(buy(`p${i}`, 100n * WAD))
    const seen: string[] = []
    let cursor: string | null = null
    for (let page = await broker.executionsSince(cursor, 2); page.executions.length > 0; ) {
      seen.push(...page.executions.map((execution) => execution.clientOrderId))
      cursor = page.cursor
      page = await broker.executionsSince(cursor, 2)
    }
    expect(seen).toEqual(['p0', 'p1', 'p2', 'p3', 'p4'])
    expect(await broker.executionsSince(cursor, 2)).toEqual({ executions: [], cursor })
  })
})
