import { afterEach, beforeEach, expect, it } from 'vitest'
import type { RpcCall } from '../../chain/rpc.ts'
import { WAD } from '../../lib/wad.ts'
import { findBrokerOrders } from '../../market/broker-store.ts'
import type { BrokerOrderRequest } from '../../market/ports.ts'
import { CHAIN_ID, LONG_AGO_SEC, TestChain } from '../testing/chain.ts'
import { KeeperWorld, START_MS, usd } from '../testing/keeper.ts'
import { splitCommand } from './split-commands.ts'
import { takeOrders } from './take-orders.ts'

// Orders around a split of four: what was meant for old shares must not be filled with new ones.

let world: KeeperWorld
beforeEach(async () => {
  TestChain.startSec = START_MS / 1000 - 3600
  world = await KeeperWorld.open()
})
afterEach(() => {
  TestChain.startSec = LONG_AGO_SEC
  return world.drop()
})

const TODAY = '2026-08-03'
const TOMORROW_MS = Date.UTC(2026, 7, 4, 4)

const apply = (exDate: string) =>
  splitCommand(['apply', '--symbol', 'AAPL', '--from', '1', '--to', '4', '--ex-date', exDate], {
    sql: world.sql,
    chainId: CHAIN_ID,
    clock: world.venue.clock,
    actor: 'cli:test',
  })
const take = () => takeOrders(world.venue, world.market, { chainId: CHAIN_ID, actDepth: 1 })
const recordOf = async (orderId: string) => (await findBrokerOrders(world.sql, CHAIN_ID, [orderId]))[0]

it('an order that is taken while a split is applied waits for the next round, and goes by the new shares', async () => {
  const { rpc } = world.venue
  let isApplied = false
  const batch = async (calls: readonly RpcCall[]) => {
    if (!isApplied) await apply(TODAY)
    isApplied = true
    return rpc.batch(calls)
  }
  await world.quote('AAPL', 200_00000000n)
  const orderId = await world.placeLimit(WAD, 200n * WAD)
  const venue = { ...world.venue, rpc: Object.assign(Object.create(rpc), { batch }) }
  expect(await takeOrders(venue, world.market, { chainId: CHAIN_ID, actDepth: 1 })).toBe(0)
  expect([isApplied, await recordOf(orderId)]).toEqual([true, undefined])
  expect(await take()).toBe(1)
  expect(await recordOf(orderId)).toMatchObject({ terms: { quantityWad: 4n * WAD, limitPrice8: 50_00000000n } })
})

it('an order that was not sent yet when a split took effect at once never is', async () => {
  const orderId = await world.placeLimit(WAD, 200n * WAD)
  await take()
  await apply(TODAY)
  await world.trade()
  expect(world.broker.orderIds).toEqual([])
  expect(await recordOf(orderId)).toMatchObject({ status: 'canceled', submitAttempts: 0 })
})

it('an order that the broker has, or may have, is to end with the old shares', async () => {
  const sent: BrokerOrderRequest[] = []
  const submit = world.broker.submit.bind(world.broker)
  const open = await world.placeLimit(WAD, 200n * WAD)
  await world.trade()
  world.broker.submit = async (order) => {
    sent.push(order)
    throw new Error('the broker is away')
  }
  const unanswered = await world.place(usd(100))
  await world.trade()
  expect(sent).toMatchObject([{ expiresAtMs: null }])
  await apply(TODAY)
  world.broker.submit = async (order) => {
    sent.push(order)
    return submit(order)
  }
  await world.sql`update broker_orders set next_submit_at = now()`
  await world.trade()
  expect(sent[1]).toMatchObject({ clientOrderId: unanswered, expiresAtMs: START_MS })
  expect(world.broker.cancelRequests.toSorted()).toEqual([open, unanswered].toSorted())
})

it('a split that is planned ends by its time what the broker has not answered yet', async () => {
  const orderId = await world.place(usd(100))
  await take()
  await apply('2026-08-04')
  expect(await recordOf(orderId)).toMatchObject({
    status: 'requested',
    cancelRequested: false,
    expiresAtMs: TOMORROW_MS,
  })
})
