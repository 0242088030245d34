import { inTransaction } from '../../db/pool.ts'
import type { Venue } from '../../http/product.ts'
import { requestOrders } from '../../market/broker-orders.ts'
import { rejectOrder } from '../../market/broker-store.ts'
import { requestCancels } from '../../market/cancel-store.ts'
import type { BrokerOrderRequest } from '../../market/ports.ts'
import type { Market } from '../../market/tasks.ts'
import { readShareRatios, type ShareRatios, shareLimit8, sharesOf } from '../listing/shares.ts'
import {
  type Confirmation,
  insertTakenOrders,
  type NewOrder,
  ordersToCancel,
  ordersWithoutBroker,
} from './keeper-store.ts'
import { heldBackByCaps } from './mint-cap.ts'

const BATCH = 500
const TOO_FINE = 'the amount or the price is finer than the broker trades'

/**
 * Gives new orders to the broker, each once: the order id is the broker's client order id. The market's own task submits
 * what is stored here, so that a kill at any point loses and repeats nothing. Buys that the cap of their stock has no room for
 * wait, and only so long as they are wanted: one that has ended meanwhile is passed on to end. Resolves to how many were given.
 */
export async function takeOrders(
  venue: Venue,
  market: Pick<Market, 'broker' | 'clock' | 'hours'>,
  confirmation: Confirmation,
): Promise<number> {
  const { sql } = venue
  const { chainId } = confirmation
  const orders = await ordersWithoutBroker(sql, confirmation, BATCH)
  if (orders.length === 0) return 0
  const ratios = await readShareRatios(sql, chainId)
  const { later, refused } = await heldBackByCaps(venue, orders, ratios)
  const nowMs = market.clock.nowMs()
  const taken = orders.flatMap((order) => {
    const expiresAtMs = expiryOf(order, market, ratios, nowMs)
    const hasEnded = order.cancelRequested || (expiresAtMs !== null && expiresAtMs <= nowMs)
    if (later.has(order.orderId) && !hasEnded) return []
    const sharesPerTokenWad = ratios.at(order.token, nowMs)
    return [{ ...order, ...brokerRequest(order, sharesPerTokenWad, expiresAtMs), sharesPerTokenWad }]
  })
  if (taken.length === 0) return 0
  await inTransaction(sql, async (tx) => {
    await insertTakenOrders(tx, chainId, taken)
    await requestOrders(
      tx,
      market.broker,
      chainId,
      taken.map(({ request }) => request),
    )
    for (const { orderId, isTooFine } of taken) {
      const reason = isTooFine ? TOO_FINE : refused.get(orderId)
      if (reason !== undefined) await rejectOrder(tx, chainId, orderId, reason)
    }
    const unwanted = taken.filter(({ cancelRequested }) => cancelRequested).map(({ orderId }) => orderId)
    // In the same step, so that none is submitted first.
    if (unwanted.length > 0) await requestCancels(tx, chainId, unwanted)
  })
  return taken.length
}

/**
 * Passes on to the broker that an order is to end: its user's cancel, or its end on chain while the broker has it. Resolves to how
 * many there were.
 */
export async function forwardCancels({ sql }: Venue, confirmation: Confirmation): Promise<number> {
  const orderIds = await ordersToCancel(sql, confirmation)
  if (orderIds.length > 0) await requestCancels(sql, confirmation.chainId, orderIds)
  return orderIds.length
}

/**
 * When the broker ends an order: with the trade date it was placed in, since the chain settles none of a later one for it, and
 * where its token comes to stand for other shares. A chain whose clock runs ahead of the market's places orders now.
 */
function expiryOf(
  { type, token, placedAtSec }: NewOrder,
  { hours }: Pick<Market, 'hours'>,
  ratios: ShareRatios,
  nowMs: number,
): number | null {
  const dayEndMs = hours.dayOrderExpiry(Math.min(Number(placedAtSec) * 1000, nowMs))
  // Where regular trading goes on at once nothing keeps a market order waiting.
  const isLeftOver = type === 'Limit' || hours.nextRegular(dayEndMs) > dayEndMs
  const splitMs = ratios.nextChangeMs(token, nowMs)
  if (!isLeftOver) return splitMs
  return splitMs === null ? dayEndMs : Math.min(dayEndMs, splitMs)
}

/** The order in the broker's terms. One that nothing is left of in those stands in the books at the least amount there is. */
function brokerRequest(order: NewOrder, sharesPerTokenWad: bigint, expiresAtMs: number | null) {
  const { orderId, ticker, type, amountWad, limitPriceWad } = order
  const side = order.side === 'Buy' ? 'buy' : 'sell'
  const named = { clientOrderId: orderId, symbol: ticker, expiresAtMs }
  if (type === 'Market' && side === 'buy') {
    const request: BrokerOrderRequest = { ...named, type: 'market', side, notionalWad: amountWad }
    return { request, isTooFine: false }
  }
  const quantityWad = sharesOf(amountWad, sharesPerTokenWad)
  const limitPrice8 = limitPriceWad === null ? null : shareLimit8(limitPriceWad, sharesPerTokenWad, side)
  const isTooFine = quantityWad === 0n || limitPrice8 === 0n
  const least = quantityWad || 1n
  const request: BrokerOrderRequest =
    limitPrice8 === null
      ? { ...named, type: 'market', side: 'sell', quantityWad: least }
      : { ...named, type: 'limit', side, quantityWad: least, limitPrice8: limitPrice8 || 1n }
  return { request, isTooFine }
}
