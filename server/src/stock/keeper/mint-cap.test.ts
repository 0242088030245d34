import { toHex } from 'viem'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Rpc, RpcCall } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import { WAD } from '../../lib/wad.ts'
import { findBrokerOrders } from '../../market/broker-store.ts'
import { usCalendar } from '../../market/calendar/us-calendar.ts'
import type { QuoteSource } from '../../market/ports.ts'
import type { Market } from '../../market/tasks.ts'
import { stockTasks } from '../tasks.ts'
import { AAPL, CHAIN_ID, cancelRequested, closed, filled, LONG_AGO_SEC, MSFT, TestChain } from '../testing/chain.ts'
import { KeeperWorld, START_MS, usd } from '../testing/keeper.ts'
import type { BufferTargets } from './refill-buffers.ts'
import { settlementMemory, settleOrders } from './settle-orders.ts'
import { takeOrders } from './take-orders.ts'

const confirmation = { chainId: CHAIN_ID, actDepth: 1 }
/** Settled at 5 % below the bid of 100 USD at most, so a token counts for 95 USD of a market buy. */
const BID8 = 100_00000000n
const tokens = (count: number) => usd(count * 95)

let world: KeeperWorld
beforeEach(async () => {
  TestChain.startSec = START_MS / 1000
  world = await KeeperWorld.open()
  await world.quote('AAPL', BID8 + 1n)
})
afterEach(() => {
  TestChain.startSec = LONG_AGO_SEC
  return world.drop()
})

const cap = (capacity: number, mintable = capacity, token: Hex = AAPL) =>
  world.mintCaps.set(token, { capacityWad: BigInt(capacity) * WAD, mintableWad: BigInt(mintable) * WAD })
const take = (venue = world.venue) => takeOrders(venue, world.market, confirmation)
const records = (...ids: Hex[]) => findBrokerOrders(world.sql, CHAIN_ID, ids)
const isTaken = async (orderId: Hex) => (await records(orderId)).length === 1
/** A limit order that would be executed at once. */
const marketable = (count: number) => world.placeLimit(BigInt(count) * WAD, 200n * WAD)

describe('a limit buy beyond what the cap leaves', () => {
  it('waits until the cap has grown back, and holds back neither sells nor what fits nor other stocks', async () => {
    cap(100, 40)
    const tooMuch = await marketable(41)
    const others = [await world.place(tokens(40)), await world.place(-500n * WAD), await world.place(usd(9_000), MSFT)]
    expect(await take()).toBe(3)
    expect((await records(...others)).map(({ status }) => status)).toEqual(['requested', 'requested', 'requested'])
    expect(await isTaken(tooMuch)).toBe(false)
    cap(100, 80)
    await take()
    expect(await isTaken(tooMuch)).toBe(false)
    cap(100, 81)
    await take()
    expect(await isTaken(tooMuch)).toBe(true)
  })

  it('counts what is at the broker, then what was executed of it, until the chain has settled that', async () => {
    cap(100)
    const first = await world.place(tokens(40))
    await world.trade()
    const second = await marketable(61)
    await world.trade()
    expect(await isTaken(second)).toBe(false)
    world.broker.fill(first, 39n * WAD, BID8)
    await world.trade()
    await take()
    expect(await isTaken(second)).toBe(true)
    const third = await marketable(1)
    await world.trade()
    expect(await isTaken(third)).toBe(false)
    await world.chain.emit(filled({ orderId: first, quantity: 39n * WAD, price: 100n * WAD }))
    cap(100, 62)
    await world.trade()
    expect(await isTaken(third)).toBe(true)
  })

  it('counts for what its money buys, at most for its quantity', async () => {
    cap(100)
    const far = await world.placeLimit(95n * WAD, WAD)
    const near = await marketable(40)
    expect(await take()).toBe(2)
    expect(await records(far, near)).toHaveLength(2)
    const [tooMuch, fits] = [await marketable(60), await marketable(55)]
    await take()
    expect([await isTaken(tooMuch), await isTaken(fits)]).toEqual([false, true])
  })

  it('that its day has ended has expired, and the broker never gets it', async () => {
    cap(100, 10)
    const placedMs = Date.parse('2026-08-07T15:59:00-04:00')
    TestChain.startSec = placedMs / 1000 - Number(world.chain.head.number) - 1
    world.hours = usCalendar
    world.nowMs = placedMs + 1000
    const orderId = await marketable(11)
    expect(await take()).toBe(0)
    world.nowMs = Date.parse('2026-08-07T20:00:00-04:00')
    expect(await take()).toBe(1)
    expect(await records(orderId)).toMatchObject([{ status: 'expired', expiresAtMs: world.nowMs, submitAttempts: 0 }])
  })

  it('that its user cancels ends without the broker', async () => {
    cap(100, 10)
    const orderId = await marketable(11)
    expect(await take()).toBe(0)
    await world.chain.emit(cancelRequested(orderId))
    expect(await take()).toBe(1)
    await world.trade()
    expect(await records(orderId)).toMatchObject([{ status: 'canceled', submitAttempts: 0 }])
    expect(world.broker.orderIds).toEqual([])
  })
})

describe('limit buys below the market', () => {
  const resting = (count: number) => world.placeLimit(BigInt(count) * WAD, 90n * WAD)

  it('take no more than they leave to others, also where the broker has them', async () => {
    cap(100)
    const [tooMany, half] = [await resting(60), await resting(50)]
    expect(await take()).toBe(1)
    expect([await isTaken(tooMany), await isTaken(half)]).toEqual([false, true])
    const more = await resting(10)
    const market = await world.place(tokens(50))
    await take()
    expect(await isTaken(more)).toBe(false)
    expect(await records(market)).toMatchObject([{ status: 'requested' }])
  })

  it('are held back no longer once the market has come to them', async () => {
    cap(100)
    const orderId = await resting(60)
    expect(await take()).toBe(0)
    await world.quote('AAPL', 90_00000000n - 1n, 1000)
    expect(await take()).toBe(1)
    expect(await isTaken(orderId)).toBe(true)
  })
})

/** It was never sent to the broker, and the chain is told to end it by this call. */
async function expectRejected(orderId: Hex, rejectReason: string, end: string): Promise<void> {
  expect(await records(orderId)).toMatchObject([{ status: 'rejected', rejectReason, submitAttempts: 0 }])
  expect(world.broker.orderIds).toEqual([])
  await settleOrders(world.venue, settlementMemory())
  expect((await world.newIntents()).map(({ name }) => name)).toEqual([end])
}

describe('a market buy beyond what the cap leaves', () => {
  it('is rejected at once, since nobody could cancel it', async () => {
    cap(100, 40)
    const orderId = await world.place(tokens(41))
    await world.trade()
    const rejectReason =
      'the order may come to more than the 40 tokens of this stock that can be bought at the moment; place a smaller one, or a limit order, which waits its turn'
    await expectRejected(orderId, rejectReason, 'rejectMarketOrders')
  })

  it('holds no room after the session that would have executed it', async () => {
    cap(100, 40)
    const closeMs = Date.parse('2026-08-07T16:00:00-04:00')
    TestChain.startSec = closeMs / 1000 - Number(world.chain.head.number) - 1
    world.hours = usCalendar
    world.nowMs = closeMs + 60_000
    const [dead, wanted] = [await world.place(tokens(40)), await marketable(40)]
    expect(await take()).toBe(2)
    expect(await records(dead)).toMatchObject([{ status: 'expired' }])
    expect(await records(wanted)).toMatchObject([{ status: 'requested' }])
  })
})

it('counts money at what a settlement takes at least, where the bid is no market’s', async () => {
  cap(100)
  await world.sql`update market_quotes set bid8 = ${1_00000000}`
  const orderId = await world.place(tokens(90))
  await take()
  expect(await records(orderId)).toMatchObject([{ status: 'requested' }])
})

describe('while the chain cannot be read', () => {
  const failing = (fails: (call: RpcCall) => boolean) => {
    const batch = async (calls: readonly RpcCall[]) => {
      if (calls.some(fails)) throw new Error('unknown block')
      return world.venue.rpc.batch(calls)
    }
    const call = async () => toHex(world.chain.head.number - 1n)
    return { ...world.venue, rpc: { call, batch } as unknown as Rpc }
  }

  it('buys alone wait, and cancels of what the broker has go on', async () => {
    const resting = await world.placeLimit(-WAD, 900n * WAD)
    await world.trade()
    await world.chain.emit(cancelRequested(resting))
    const [buy, sell, canceled] = [await world.place(usd(10)), await world.place(-WAD), await marketable(1)]
    await world.chain.emit(cancelRequested(canceled))
    const market: Market = { ...world.market, source: {} as QuoteSource, coins: null }
    const task = stockTasks(market, {} as BufferTargets).find(({ name }) => name === 'stock.take-orders')
    await expect(task?.run(failing(() => true))).rejects.toThrow('unknown block')
    expect(await records(resting)).toMatchObject([{ cancelRequested: true }])
    expect(await records(sell, canceled)).toHaveLength(2)
    expect(await isTaken(buy)).toBe(false)
    expect(await take()).toBe(1)
  })

  it('at the block of the books, what they show as settled is taken for free by nobody', async () => {
    cap(100)
    const first = await world.place(tokens(60))
    await world.trade()
    world.broker.fill(first, 60n * WAD, BID8)
    await world.trade()
    await world.chain.emit(filled({ orderId: first, quantity: 60n * WAD, price: 100n * WAD }), closed(first, 'filled'))
    const second = await marketable(41)
    const behind = failing(({ params }) => BigInt(params[1] as string) >= world.chain.head.number)
    await expect(take(behind)).rejects.toThrow('unknown block')
    expect(await isTaken(second)).toBe(false)
  })
})

describe('a buy beyond the cap itself', () => {
  it.each([
    { type: 'market', place: () => world.place(tokens(101)), end: 'rejectMarketOrders' },
    { type: 'limit', place: () => world.placeLimit(101n * WAD, WAD), end: 'settleCancels' },
  ])('is rejected with the reason: $type', async ({ place, end }) => {
    cap(100)
    const orderId = await place()
    await world.trade()
    const rejectReason =
      'the order may come to more than 100 tokens, the most of this stock that can be settled at once; place smaller orders'
    await expectRejected(orderId, rejectReason, end)
  })
})
