import { afterEach, beforeEach, expect, it } from 'vitest'
import { collectExecutions, submitRequested } from '../../market/broker-orders.ts'
import { findBrokerOrders } from '../../market/broker-store.ts'
import { openEmbeddedMarket } from '../../market/embedded.ts'
import { embeddedInstruments } from '../../market/instruments.ts'
import type { Market } from '../../market/tasks.ts'
import { REJECTION_CODE } from '../orders/rejection-reason.ts'
import { CHAIN_ID, closed, LONG_AGO_SEC, TestChain } from '../testing/chain.ts'
import { KeeperWorld, type SentIntent, usd } from '../testing/keeper.ts'
import { bookHedges, sumHedges } from './hedges.ts'
import { settlementMemory, settleOrders } from './settle-orders.ts'
import { takeOrders } from './take-orders.ts'

// Friday 7 August 2026 in New York: the regular session ends at 16:00, the trade date at 20:00.
const friday = (time: string) => Date.parse(`2026-08-07T${time}-04:00`)
const MONDAYS_OPEN = Date.parse('2026-08-10T09:30:00-04:00')

let world: KeeperWorld
let market: Market
beforeEach(async () => {
  world = await KeeperWorld.open()
  world.nowMs = friday('15:59:00')
  market = await openEmbeddedMarket(world.sql, {
    seed: 'test',
    marketClock: world.venue.clock,
    instruments: embeddedInstruments,
    recordedFiles: [],
    marketHours: 'calendar',
    maxOrderNotionalWad: 10n ** 24n,
    maxFillDelaySteps: 0,
  })
})
afterEach(() => {
  TestChain.startSec = LONG_AGO_SEC
  return world.drop()
})

async function trade(timeMs: number): Promise<readonly SentIntent[]> {
  world.nowMs = timeMs
  await takeOrders(world.venue, market, { chainId: CHAIN_ID, actDepth: 1 })
  await submitRequested(world.sql, market.broker, CHAIN_ID)
  await collectExecutions(world.sql, market.broker, CHAIN_ID)
  await settleOrders(world.venue, settlementMemory())
  await bookHedges(world.venue)
  return world.newIntents()
}

it('a market order that was mined after the close never reaches the broker, and its money comes back at once', async () => {
  TestChain.startSec = friday('16:00:01') / 1000 - Number(world.chain.head.number) - 1
  const orderId = await world.place(usd(100))
  const [release] = (await trade(friday('16:00:02'))) as [SentIntent]
  expect(release).toMatchObject({
    name: 'rejectMarketOrders',
    args: [[{ orderId, filledBefore: 0n, reasonCode: REJECTION_CODE.expired }]],
  })
  await world.chain.emit(closed(orderId, 'rejected', usd(100), REJECTION_CODE.expired))
  await world.end(release, { state: 'mined' })
  expect(await trade(MONDAYS_OPEN + 60_000)).toEqual([])
  expect(await findBrokerOrders(world.sql, CHAIN_ID, [orderId])).toMatchObject([
    { status: 'expired', filledQuantityWad: 0n, submitAttempts: 0 },
  ])
  expect(await world.hedge()).toEqual([])
  expect(await sumHedges(world.sql, CHAIN_ID)).toEqual([])
})
