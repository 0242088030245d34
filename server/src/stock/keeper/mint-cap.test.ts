import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Hex } from '../../chain/types.ts'
import { WAD } from '../../lib/wad.ts'
import { findBrokerOrders } from '../../market/broker-store.ts'
import { usCalendar } from '../../market/calendar/us-calendar.ts'
import { AAPL, CHAIN_ID, cancelRequested, filled, LONG_AGO_SEC, MSFT, TestChain } from '../testing/chain.ts'
import { KeeperWorld, START_MS, usd } from '../testing/keeper.ts'
import { ordersWithoutBroker } from './keeper-store.ts'
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
const take = () => takeOrders(world.venue, world.market, confirmation)
const records = (...ids: Hex[]) => findBrokerOrders(world.sql, CHAIN_ID, ids)
const isTaken = async (orderId: Hex) => (await records(orderId)).length === 1

describe('a buy beyond what the cap leaves', () => {
  it('waits until the cap has grown back, and holds back neither sells nor what fits nor other stocks', async () => {
    cap(100, 40)
    const tooMuch = await world.place(tokens(41))
    const others = [await world.place(tokens(40)), await world.place(-500n * WAD), await world.place(usd(9_000), MSFT)]
    expect(await take()).toBe(3)
    expect(await records(...others)).toHaveLength(3)
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
    const second = await world.place(tokens(61))
    await world.trade()
    expect(await isTaken(second)).toBe(false)
    world.broker.fill(first, 39n * WAD, BID8)
    await world.trade()
    await take()
    expect(await isTaken(second)).toBe(true)
    const third = await world.place(tokens(1))
    await world.trade()
    expect(await isTaken(third)).toBe(false)
    await world.chain.emit(filled({ orderId: first, quantity: 39n * WAD, price: 100n * WAD }))
    cap(100, 62)
    await world.trade()
    expect(await isTaken(third)).toBe(true)
  })

  it('counts a limit order for what its money buys, at most for its quantity', async () => {
    cap(100)
    const far = await world.placeLimit(95n * WAD, WAD)
    const near = await world.placeLimit(40n * WAD, 200n * WAD)
    expect(await take()).toBe(2)
    expect(await records(far, near)).toHaveLength(2)
    const [tooMuch, fits] = [await world.place(tokens(60)), await world.place(tokens(55))]
    await take()
    expect([await isTaken(tooMuch), await isTaken(fits)]).toEqual([false, true])
  })

  it('that its session has ended has expired, and the broker never gets it', async () => {
    cap(100, 10)
    const placedMs = Date.parse('2026-08-07T15:59:00-04:00')
    TestChain.startSec = placedMs / 1000 - Number(world.chain.head.number) - 1
    world.hours = usCalendar
    world.nowMs = placedMs + 1000
    const orderId = await world.place(tokens(11))
    expect(await take()).toBe(0)
    world.nowMs = Date.parse('2026-08-07T16:00:00-04:00')
    expect(await take()).toBe(1)
    expect(await records(orderId)).toMatchObject([{ status: 'expired', expiresAtMs: world.nowMs, submitAttempts: 0 }])
  })

  it('that its user cancels ends without the broker', async () => {
    cap(100, 10)
    const orderId = await world.placeLimit(11n * WAD, 100n * WAD)
    expect(await take()).toBe(0)
    await world.chain.emit(cancelRequested(orderId))
    expect(await take()).toBe(1)
    await world.trade()
    expect(await records(orderId)).toMatchObject([{ status: 'canceled', submitAttempts: 0 }])
    expect(world.broker.orderIds).toEqual([])
  })

  it('hides nothing behind it, however many wait', async () => {
    for (let i = 0; i < 3; i += 1) await world.place(tokens(1))
    const sell = await world.place(-WAD)
    const other = await world.place(usd(1), MSFT)
    const looked = (await ordersWithoutBroker(world.sql, confirmation, 3)).map(({ orderId }) => orderId)
    expect(looked).toEqual(expect.arrayContaining([sell, other]))
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
    expect(await records(orderId)).toMatchObject([{ status: 'rejected', rejectReason, submitAttempts: 0 }])
    expect(world.broker.orderIds).toEqual([])
    await settleOrders(world.venue, settlementMemory())
    expect((await world.newIntents()).map(({ name }) => name)).toEqual([end])
  })
})
