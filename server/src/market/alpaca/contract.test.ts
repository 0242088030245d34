import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inTransaction } from '../../db/pool.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import { WAD } from '../../lib/wad.ts'
import { usCalendar } from '../calendar/us-calendar.ts'
import { embeddedInstruments, type Instrument } from '../instruments.ts'
import type { Broker, BrokerOrderRequest } from '../ports.ts'
import { simulatedBroker } from '../simulator/broker.ts'
import { PricePath } from '../simulator/price-path.ts'
import { SimulatedPrices } from '../simulator/prices.ts'
import { upsertSymbols } from '../store.ts'
import { type Clock, openTestMarket, START_MS, testClock, wireServer } from './testing/harness.ts'

// What the port `Broker` promises, of every broker behind it.

const USD8 = 10n ** 8n
const apple = embeddedInstruments.find(({ symbol }) => symbol === 'AAPL') as Instrument
const instruments: readonly Instrument[] = [
  apple,
  { ...apple, symbol: 'HALT', tradable: false },
  { ...apple, symbol: 'BRK.B', fractionable: false },
]

interface Stage {
  /** A process with a broker: the first, or one more. */
  open(): Promise<Broker>
  close(): Promise<void>
}

function simulator(db: TestDatabase, clock: Clock): Promise<Stage> {
  const start = { seed: 's', price8: 230n * USD8, timeMs: START_MS }
  const paths = new Map(instruments.map((one) => [one.symbol, new PricePath(one, start)]))
  const options = { sql: db.sql, seed: 's', marketClock: clock, hours: usCalendar, instruments }
  const limits = { maxOrderNotionalWad: 1_000_000n * WAD, maxFillDelaySteps: 0 }
  const open = async () => simulatedBroker({ ...options, ...limits, prices: new SimulatedPrices(paths) })
  return Promise.resolve({ open, close: async () => {} })
}

async function alpaca(db: TestDatabase, clock: Clock): Promise<Stage> {
  const server = await wireServer(clock)
  await inTransaction(db.sql, (tx) => upsertSymbols(tx, instruments))
  const opened: { close(): void }[] = []
  return {
    async open() {
      const market = await openTestMarket(db.sql, server, clock)
      opened.push(market)
      return market.broker
    },
    async close() {
      for (const market of opened) market.close()
      await server.stop()
    },
  }
}

describe.each([
  ['the simulator', simulator],
  ['Alpaca', alpaca],
] as const)('the broker behind the port: %s', (_, make) => {
  let db: TestDatabase
  let clock: Clock
  let stage: Stage
  let broker: Broker
  beforeEach(async () => {
    db = await testDatabase()
    clock = testClock()
    stage = await make(db, clock)
    broker = await stage.open()
  })
  afterEach(async () => {
    await stage.close()
    await db.drop()
  })

  const named = (clientOrderId: string, symbol = 'AAPL') => ({ clientOrderId, symbol, expiresAtMs: null })
  const buy = (clientOrderId: string, notionalWad: bigint, symbol?: string): BrokerOrderRequest => ({
    ...named(clientOrderId, symbol),
    type: 'market',
    side: 'buy',
    notionalWad,
  })
  const sell = (clientOrderId: string, quantityWad: bigint, symbol?: string): BrokerOrderRequest => ({
    ...named(clientOrderId, symbol),
    type: 'market',
    side: 'sell',
    quantityWad,
  })
  const resting = (clientOrderId: string): BrokerOrderRequest & { type: 'limit' } => ({
    ...named(clientOrderId),
    type: 'limit',
    side: 'buy',
    quantityWad: 2n * WAD,
    limitPrice8: 10n * USD8,
  })
  const statusOf = async (clientOrderId: string) => (await broker.findOrders([clientOrderId]))[0]?.status

  it('fills a market buy by its notional and a market sell by its quantity', async () => {
    await broker.submit(buy('b', 1000n * WAD))
    clock.advance(1000)
    await broker.submit(sell('s', WAD / 3n - ((WAD / 3n) % 10n ** 9n)))
    clock.advance(1000)
    const { executions } = await broker.executionsSince(null, 10)
    const [bought, sold] = executions
    expect(executions).toHaveLength(2)
    expect(bought).toMatchObject({ clientOrderId: 'b', symbol: 'AAPL', side: 'buy' })
    expect(sold).toMatchObject({
      clientOrderId: 's',
      symbol: 'AAPL',
      side: 'sell',
      quantityWad: 333_333_333n * 10n ** 9n,
    })
    const [quantityWad, price8] = [bought?.quantityWad ?? 0n, bought?.price8 ?? 0n]
    expect(quantityWad * price8).toBeLessThanOrEqual(1000n * WAD * USD8)
    expect((quantityWad + 10n ** 9n) * price8).toBeGreaterThan(1000n * WAD * USD8)
    expect(await broker.findOrders(['b', 's', 'absent'])).toHaveLength(2)
    expect(await broker.findOrders(['b'])).toMatchObject([{ status: 'filled', filledQuantityWad: quantityWad }])
    expect(await broker.positions()).toEqual([{ symbol: 'AAPL', quantityWad: quantityWad - (sold?.quantityWad ?? 0n) }])
  })

  it('knows no position that is zero', async () => {
    expect(await broker.positions()).toEqual([])
    await broker.submit(sell('s', WAD))
    expect(await broker.positions()).toEqual([{ symbol: 'AAPL', quantityWad: -WAD }])
  })

  it('answers a repeated order with the one that stands, also to another process', async () => {
    const first = await broker.submit(resting('once'))
    clock.advance(60_000)
    const other = await stage.open()
    for (const again of await Promise.all([other, broker, other].map((one) => one.submit(resting('once'))))) {
      expect(again).toEqual(first)
    }
    expect(await broker.openOrders()).toMatchObject([{ clientOrderId: 'once', status: 'accepted' }])
    for (const changed of [
      { ...resting('once'), quantityWad: WAD },
      { ...resting('once'), limitPrice8: 11n * USD8 },
      { ...resting('once'), side: 'sell' as const },
      sell('once', 2n * WAD),
    ]) {
      await expect(broker.submit(changed)).rejects.toThrow('was used before')
    }
  })

  it.each([
    ['an unknown symbol', buy('x', 10n * WAD, 'XYZ')],
    ['a symbol that is not tradable', buy('x', 10n * WAD, 'HALT')],
    ['a notional of what trades whole', buy('x', 500n * WAD, 'BRK.B')],
    ['a fraction of what trades whole', sell('x', WAD / 2n, 'BRK.B')],
  ])('rejects %s, with a reason and for ever', async (_name, order) => {
    const answer = await broker.submit(order)
    expect(answer).toMatchObject({ clientOrderId: 'x', status: 'rejected', filledQuantityWad: 0n })
    expect(answer.rejectReason).toMatch(/\w/)
    clock.advance(60_000)
    expect(await broker.submit(order)).toEqual(answer)
    expect(await broker.findOrders(['x'])).toEqual([answer])
    expect(await broker.executionsSince(null, 10)).toEqual({ executions: [], cursor: null })
  })

  it('cancels what is open, answers what has ended as it stands, and null for what it does not know', async () => {
    await broker.submit(resting('open'))
    expect(await broker.cancel('open')).toMatchObject({ status: 'canceled', filledQuantityWad: 0n })
    expect(await broker.cancel('open')).toMatchObject({ status: 'canceled' })
    await broker.submit(buy('filled', 100n * WAD))
    clock.advance(1000)
    expect(await statusOf('filled')).toBe('filled')
    expect(await broker.cancel('filled')).toMatchObject({ status: 'filled' })
    expect(await broker.cancel('absent')).toBeNull()
    expect(await broker.openOrders()).toEqual([])
  })

  it('ends an order at its expiry, and one that comes later at once', async () => {
    const expiresAtMs = START_MS + 60_000
    await broker.submit({ ...resting('early'), expiresAtMs })
    clock.set(expiresAtMs)
    expect(await statusOf('early')).toBe('expired')
    const late = await broker.submit({ ...resting('late'), expiresAtMs })
    expect(late).toMatchObject({ status: 'expired', filledQuantityWad: 0n, rejectReason: null })
    expect(await broker.submit({ ...resting('late'), expiresAtMs })).toEqual(late)
    expect(await broker.openOrders()).toEqual([])
  })

  it('pages through executions by a cursor that outlives the process', async () => {
    for (const id of ['p0', 'p1', 'p2', 'p3', 'p4']) {
      await broker.submit(buy(id, 100n * WAD))
      clock.advance(1000)
    }
    const seen: string[] = []
    let cursor: string | null = null
    for (;;) {
      const page = await (await stage.open()).executionsSince(cursor, 2)
      if (page.executions.length === 0) break
      seen.push(...page.executions.map((execution) => execution.clientOrderId))
      cursor = page.cursor
    }
    expect(seen).toEqual(['p0', 'p1', 'p2', 'p3', 'p4'])
    expect(await broker.executionsSince(cursor, 2)).toEqual({ executions: [], cursor })
  })
})
