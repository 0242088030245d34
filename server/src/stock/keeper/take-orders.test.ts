import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import { WAD } from '../../lib/wad.ts'
import { collectExecutions } from '../../market/broker-orders.ts'
import { findBrokerOrders } from '../../market/broker-store.ts'
import { usCalendar } from '../../market/calendar/us-calendar.ts'
import { alwaysOpen } from '../../market/hours.ts'
import type { BrokerOrder } from '../../market/ports.ts'
import {
  AAPL,
  BOB,
  CHAIN_ID,
  cancelRequested,
  closed,
  LONG_AGO_SEC,
  listed,
  MSFT,
  randomHash,
  TestChain,
} from '../testing/chain.ts'
import { KeeperWorld, START_MS, usd } from '../testing/keeper.ts'
import { bookHedges, sumHedges } from './hedges.ts'
import { ordersWithoutBroker } from './keeper-store.ts'
import { takeOrders } from './take-orders.ts'

let world: KeeperWorld
beforeEach(async () => {
  world = await KeeperWorld.open()
})
afterEach(() => {
  TestChain.startSec = LONG_AGO_SEC
  return world.drop()
})

const take = (actDepth = 1) => takeOrders(world.venue, world.market, { chainId: CHAIN_ID, actDepth })
const records = async (...ids: string[]) =>
  (await findBrokerOrders(world.sql, CHAIN_ID, ids)).map(({ symbol, terms, status }) => ({ symbol, terms, status }))

it('gives a buy by notional and a sell by quantity, under the order’s id', async () => {
  const buy = await world.place(usd(100))
  const sell = await world.place(-2n * WAD, MSFT)
  await take()
  expect(await records(buy)).toEqual([
    { symbol: 'AAPL', terms: { type: 'market', side: 'buy', notionalWad: usd(100) }, status: 'requested' },
  ])
  expect(await records(sell)).toEqual([
    { symbol: 'MSFT', terms: { type: 'market', side: 'sell', quantityWad: 2n * WAD }, status: 'requested' },
  ])
})

it('gives each order once, also when two keepers take at the same moment', async () => {
  const orderId = await world.place(usd(100))
  await Promise.all([take(), take(), take()])
  await take()
  expect(await records(orderId)).toHaveLength(1)
})

it('waits for the confirmations of the chain’s profile', async () => {
  const orderId = await world.place(usd(100))
  await take(3)
  await world.chain.block()
  await take(3)
  expect(await records(orderId)).toEqual([])
  await world.chain.block()
  await take(3)
  expect(await records(orderId)).toHaveLength(1)
})

it('leaves closed orders alone', async () => {
  const orderId = await world.place(usd(100))
  await world.chain.emit(closed(orderId, 'takenBack'))
  await take()
  expect(await records(orderId)).toEqual([])
})

it('gives the broker also what the market does not list; the broker then refuses it', async () => {
  await world.chain.emit(...listed(BOB, 'GONE', 3))
  const orderId = await world.place(usd(100), BOB, randomHash())
  await take()
  expect(await records(orderId)).toMatchObject([{ symbol: 'GONE' }])
})

/** Lets the next block, and the market, be of an instant. */
function at(time: string): void {
  const timeMs = Date.parse(time)
  TestChain.startSec = timeMs / 1000 - Number(world.chain.head.number) - 1
  world.nowMs = timeMs + 60_000
}

describe('the end of an order', () => {
  it.each([
    {
      placed: 'in a regular session',
      at: '2026-08-07T10:00:00-04:00',
      market: '16:00:00-04:00',
      limit: '20:00:00-04:00',
    },
    { placed: 'before it', at: '2026-08-07T04:00:00-04:00', market: '16:00:00-04:00', limit: '20:00:00-04:00' },
    { placed: 'on a half day', at: '2026-11-27T10:00:00-05:00', market: '13:00:00-05:00', limit: '17:00:00-05:00' },
  ])('placed $placed: a market order’s with that session, a limit order’s with the day', async (one) => {
    at(one.at)
    world.hours = usCalendar
    const [buy, sell] = [await world.place(usd(100)), await world.place(-2n * WAD)]
    const limit = await world.placeLimit(-WAD, WAD)
    await take()
    const endOf = async (orderId: Hex) => {
      const [record] = await findBrokerOrders(world.sql, CHAIN_ID, [orderId])
      return [record?.status, record?.expiresAtMs]
    }
    const ends = (time: string) => ['requested', Date.parse(`${one.at.slice(0, 10)}T${time}`)]
    expect([await endOf(buy), await endOf(sell), await endOf(limit)]).toEqual([
      ends(one.market),
      ends(one.market),
      ends(one.limit),
    ])
  })

  it('placed on a weekend is that of the day after', async () => {
    at('2026-08-08T12:00:00-04:00')
    world.hours = usCalendar
    const orderId = await world.place(usd(100))
    await take()
    const expiresAtMs = Date.parse('2026-08-10T16:00:00-04:00')
    expect(await findBrokerOrders(world.sql, CHAIN_ID, [orderId])).toMatchObject([{ status: 'requested', expiresAtMs }])
  })

  it('is none of a market order where the market never closes', async () => {
    at('2026-08-07T16:00:01-04:00')
    world.hours = alwaysOpen
    const orderId = await world.place(usd(100))
    await take()
    expect(await findBrokerOrders(world.sql, CHAIN_ID, [orderId])).toMatchObject([{ expiresAtMs: null }])
  })
})

it.each([
  {
    what: 'a market order after the regular session',
    at: '2026-08-07T16:00:00-04:00',
    place: () => world.place(usd(100)),
  },
  { what: 'a market order after that of a half day', at: '2026-11-27T13:00:00-05:00', place: () => world.place(-WAD) },
])('never gives the broker $what: it has expired at once', async ({ at: time, place }) => {
  at(time)
  world.hours = usCalendar
  const orderId = await place()
  const limit = await world.placeLimit(-WAD, WAD)
  await world.trade()
  expect(await findBrokerOrders(world.sql, CHAIN_ID, [orderId])).toMatchObject([
    { status: 'expired', submitAttempts: 0 },
  ])
  expect(world.broker.orderIds).toEqual([limit])
})

describe('an order that the broker has and a database put back to an earlier state has still to take', () => {
  /** Places a market sell that the broker has, executed as far as given. */
  async function lost(executedWad: bigint): Promise<Hex> {
    const orderId = await world.place(-2n * WAD)
    const named = { clientOrderId: orderId, symbol: 'AAPL', expiresAtMs: null }
    await world.broker.submit({ ...named, type: 'market', side: 'sell', quantityWad: 2n * WAD })
    const status = executedWad === 2n * WAD ? 'filled' : 'partially_filled'
    if (executedWad > 0n) world.broker.fill(orderId, executedWad, 200_00000000n, status)
    await collectExecutions(world.sql, world.broker, CHAIN_ID)
    return orderId
  }
  const recordOf = async (orderId: Hex) => (await findBrokerOrders(world.sql, CHAIN_ID, [orderId]))[0]

  it('has its executions once it is taken, ahead of what waits for room', async () => {
    const orderId = await lost(2n * WAD)
    expect((await ordersWithoutBroker(world.sql, { chainId: CHAIN_ID, actDepth: 1 }, 1))[0]).toMatchObject({ orderId })
    await world.trade()
    expect(await recordOf(orderId)).toMatchObject({ status: 'filled', filledQuantityWad: 2n * WAD, submitAttempts: 0 })
    expect(await world.openExecutions()).toBe(1)
  })

  it('has not expired when its day has ended meanwhile; what of it stands is cancelled', async () => {
    at('2026-08-07T16:00:00-04:00')
    world.hours = usCalendar
    const [filled, untouched] = [await lost(2n * WAD), await lost(0n)]
    await world.trade()
    expect(await recordOf(filled)).toMatchObject({ status: 'filled', filledQuantityWad: 2n * WAD })
    expect(await recordOf(untouched)).toMatchObject({ status: 'accepted', cancelRequested: true })
    expect(world.broker.cancelRequests).toContain(untouched)
  })

  it('is cancelled at the broker when its user wants that, and keeps what was filled', async () => {
    const [part, untouched] = [await lost(WAD), await lost(0n)]
    await world.chain.emit(cancelRequested(part), cancelRequested(untouched))
    await world.trade()
    expect(await recordOf(part)).toMatchObject({ status: 'partially_filled', filledQuantityWad: WAD })
    expect(await recordOf(untouched)).toMatchObject({ status: 'accepted' })
    await world.sql`update broker_orders set next_cancel_at = now()`
    await world.trade()
    expect(new Set(world.broker.cancelRequests)).toEqual(new Set([part, untouched]))
  })

  it('is a hedge of the venue when it has ended on chain meanwhile', async () => {
    const orderId = await lost(2n * WAD)
    await world.chain.emit(closed(orderId, 'takenBack'))
    await world.trade()
    await bookHedges(world.venue)
    expect(await sumHedges(world.sql, CHAIN_ID)).toMatchObject([{ symbol: 'AAPL', quantityWad: -2n * WAD }])
  })

  it('is converted as the token was when it was executed', async () => {
    const orderId = await lost(2n * WAD)
    await world.split(AAPL, 4n * WAD, START_MS + 1000)
    world.nowMs = START_MS + 2000
    await world.trade()
    expect(await recordOf(orderId)).toMatchObject({ status: 'filled', terms: { quantityWad: 2n * WAD } })
  })

  it('waits until the broker can be asked, and holds up no other', async () => {
    at('2026-08-07T16:00:00-04:00')
    world.hours = usCalendar
    const [orderId, limit] = [await lost(2n * WAD), await world.placeLimit(-WAD, WAD)]
    const { findOrders } = world.broker
    world.broker.findOrders = () => Promise.reject(new Error('away'))
    await expect(take()).rejects.toThrow('away')
    expect([await recordOf(orderId), await recordOf(limit)]).toMatchObject([undefined, { status: 'requested' }])
    world.broker.findOrders = findOrders
    await world.trade()
    expect(await recordOf(orderId)).toMatchObject({ status: 'filled' })
  })
})

describe('orders that have ended unsent', () => {
  beforeEach(() => {
    at('2026-08-07T16:00:00-04:00')
    world.hours = usCalendar
  })

  it('keep no other waiting while the broker is asked for them', async () => {
    const [expired, limit] = [await world.place(usd(100)), await world.placeLimit(-WAD, WAD)]
    const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<BrokerOrder[]>()]
    world.broker.findOrders = () => {
      asked.resolve()
      return answer.promise
    }
    const round = take()
    await asked.promise
    expect(await records(limit)).toMatchObject([{ status: 'requested' }])
    answer.resolve([])
    expect(await round).toBe(2)
    expect(await records(expired)).toMatchObject([{ status: 'expired' }])
  })

  it('are asked for a few in each round', async () => {
    for (let i = 0; i < 21; i += 1) await world.place(usd(1))
    expect([await take(), await take(), await take()]).toEqual([20, 1, 0])
  })
})

it('sees a cancel, a better price and other types of orders behind however many buys that wait', async () => {
  for (let i = 0; i < 3; i += 1) await world.placeLimit(WAD, WAD)
  const canceled = await world.placeLimit(WAD, WAD)
  await world.chain.emit(cancelRequested(canceled))
  const better = await world.placeLimit(WAD, 2n * WAD)
  const market = await world.place(usd(1))
  const seen = await ordersWithoutBroker(world.sql, { chainId: CHAIN_ID, actDepth: 1 }, 3)
  expect(seen.map(({ orderId }) => orderId)).toEqual([canceled, better, market])
})
