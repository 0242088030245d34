import type { Sql } from '../db/pool.ts'
import { WAD } from '../lib/wad.ts'
import { requestOrder, submitOrder } from './broker-orders.ts'
import type { OrderRecord } from './broker-store.ts'
import { openEmbeddedMarket } from './embedded.ts'
import { embeddedInstruments } from './instruments.ts'
import type { Broker, BrokerOrderRequest } from './ports.ts'

/** Where the market clock of the tests of orders stands. */
export const START_MS = Date.UTC(2026, 7, 3, 15, 0, 0)

/** The simulated broker, filling at once. */
export async function openTestBroker(sql: Sql): Promise<Broker> {
  const market = await openEmbeddedMarket(sql, {
    seed: 'test',
    marketClock: { nowMs: () => START_MS },
    instruments: embeddedInstruments,
    recordedFiles: [],
    maxOrderNotionalWad: 1_000_000n * WAD,
    maxFillDelaySteps: 0,
  })
  return market.broker
}

/** Stores an order and sends it at once. */
export async function placeWithBroker(
  sql: Sql,
  broker: Broker,
  chainId: number,
  order: BrokerOrderRequest,
): Promise<OrderRecord> {
  await requestOrder(sql, broker, chainId, order)
  return submitOrder(sql, broker, chainId, order.clientOrderId)
}

const market = { symbol: 'AAPL', type: 'market', expiresAtMs: null } as const

/** A market buy of AAPL for so many USD. */
export const buy = (clientOrderId: string, notionalWad: bigint): BrokerOrderRequest => ({
  ...market,
  clientOrderId,
  side: 'buy',
  notionalWad,
})

/** A market sell of so many shares of AAPL. */
export const sell = (clientOrderId: string, quantityWad: bigint): BrokerOrderRequest => ({
  ...market,
  clientOrderId,
  side: 'sell',
  quantityWad,
})
