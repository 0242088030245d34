import { afterEach, beforeEach, expect, it } from 'vitest'
import { WAD } from '../../lib/wad.ts'
import { findBrokerOrders } from '../../market/broker-store.ts'
import { usCalendar } from '../../market/calendar/us-calendar.ts'
import { alwaysOpen } from '../../market/hours.ts'
import { BOB, CHAIN_ID, closed, LONG_AGO_SEC, listed, MSFT, randomHash, TestChain } from '../testing/chain.ts'
import { KeeperWorld, usd } from '../testing/keeper.ts'
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

it.each([
  { where: 'closes: with its trade date', hours: usCalendar, expiresAtMs: Date.parse('2026-08-07T20:00:00-04:00') },
  { where: 'never closes: by itself', hours: alwaysOpen, expiresAtMs: null },
])('lets a market order end where the market $where', async ({ hours, expiresAtMs }) => {
  const placedMs = Date.parse('2026-08-07T16:00:01-04:00')
  TestChain.startSec = placedMs / 1000 - Number(world.chain.head.number) - 1
  world.hours = hours
  world.nowMs = placedMs + 60_000
  const [buy, sell] = [await world.place(usd(100)), await world.place(-2n * WAD)]
  await take()
  expect(await findBrokerOrders(world.sql, CHAIN_ID, [buy, sell])).toMatchObject([{ expiresAtMs }, { expiresAtMs }])
})
