import { inTransaction, type Sql, type Tx } from '../../db/pool.ts'
import type { Venue } from '../../http/product.ts'
import { requestOrders } from '../../market/broker-orders.ts'
import { applyBrokerAnswers, expireOrder, rejectOrder } from '../../market/broker-store.ts'
import { requestCancels } from '../../market/cancel-store.ts'
import { type MarketHours, SESSION } from '../../market/hours.ts'
import type { Broker, BrokerOrder, BrokerOrderRequest } from '../../market/ports.ts'
import type { Market } from '../../market/tasks.ts'
import { readShareRatios, type ShareRatios, shareLimit8, sharesOf } from '../listing/shares.ts'
import { readSplitGaps } from './announced-splits.ts'
import {
  type Confirmation,
  insertTakenOrders,
  type NewOrder,
  ordersToCancel,
  ordersWithoutBroker,
  type TakenOrder,
} from './keeper-store.ts'
import { heldBackByCaps } from './mint-cap.ts'
import { lockSplits } from './split-store.ts'

const BATCH = 500
/** Orders that the broker is asked for in a round: some look each of them up by itself, and the new orders of the next round wait for it. */
const LOOK_UP = 20
const TOO_FINE = 'the amount or the price is finer than the broker trades'

/** How an order ends that the broker never gets: by its user, by its time, or rejected with what to tell its user. */
type UnsentEnd = 'canceled' | 'expired' | { readonly reason: string }

/** An order as it is stored for the broker. */
interface Taken extends NewOrder, TakenOrder {
  readonly request: BrokerOrderRequest
  readonly unsentEnd: UnsentEnd | null
}

/**
 * Gives new orders to the broker, each once: the order id is the broker's client order id. The market's own task submits
 * what is stored here, so that a kill at any point loses and repeats nothing. One that has ended meanwhile is stored with its end, and
 * never submitted, once the broker has said that it has none: a database that was put back to an earlier state does not know what it had
 * given to the broker. What needs no such answer is stored before the broker is asked. Where a split has begun that is not applied, orders
 * of its token wait. Resolves to how many were stored.
 */
export async function takeOrders(
  venue: Venue,
  market: Pick<Market, 'broker' | 'clock' | 'hours'>,
  confirmation: Confirmation,
): Promise<number> {
  const { sql } = venue
  const orders = await ordersWithoutBroker(sql, confirmation, BATCH)
  if (orders.length === 0) return 0
  const ratios = await readShareRatios(sql, confirmation.chainId)
  const gaps = await readSplitGaps(sql, confirmation.chainId)
  const nowMs = market.clock.nowMs()
  const placed = orders.map((order) => {
    const expiresAtMs = earliest(expiryOf(order, market, ratios, nowMs), gaps.nextStartMs(order.token, nowMs))
    const hasExpired = expiresAtMs !== null && expiresAtMs <= nowMs
    const ended: UnsentEnd | null = order.cancelRequested ? 'canceled' : hasExpired ? 'expired' : null
    return { order, expiresAtMs, ended }
  })
  const timed = placed.filter(
    ({ order, ended }) => ended !== null || order.executedAt !== null || !gaps.covers(order.token, nowMs),
  )
  const wanted = timed.flatMap(({ order, ended }) => (ended === null && order.executedAt === null ? [order] : []))
  const { later, refused, problem } = await heldBackByCaps(venue, wanted, ratios)
  const taken = timed.flatMap(({ order, expiresAtMs, ended }): Taken[] => {
    if (later.has(order.orderId)) return []
    // What was executed was given to the broker before a split of since then.
    const sharesPerTokenWad = ratios.at(order.token, order.executedAt?.getTime() ?? nowMs)
    const { request, isTooFine } = brokerRequest(order, sharesPerTokenWad, expiresAtMs)
    const reason = isTooFine ? TOO_FINE : refused.get(order.orderId)
    const unsentEnd = ended ?? (reason === undefined ? null : { reason })
    return [{ ...order, request, sharesPerTokenWad, unsentEnd }]
  })
  const isCurrent = (current: ShareRatios) => (one: Taken) => current.isSameFrom(ratios, one.token, nowMs)
  const storeThose = (storable: readonly Taken[], answers: Answers) =>
    storeCurrent(sql, market.broker, confirmation.chainId, { storable, answers, isCurrent })
  const unasked = await storeThose(
    taken.filter((one) => !mayStand(one)),
    new Map(),
  )
  // Open ones are stored whatever the answer; of those that have ended some may be asked for again and again.
  const asked = taken
    .filter(mayStand)
    .toSorted((a, b) => Number(b.isOpen) - Number(a.isOpen))
    .slice(0, LOOK_UP)
  const answers = await askBroker(market.broker, asked)
  const answered = await storeThose(
    asked.filter((one) => isStorable(one, answers.get(one.orderId))),
    answers,
  )
  // Not before, so that it keeps no order waiting that needs nothing of the chain.
  if (problem !== null) throw problem
  return unasked + answered
}

interface Storable {
  readonly storable: readonly Taken[]
  readonly answers: Answers
  /** Whether an order's token stands for the same by these ratios as by those that its terms were worked out with. */
  readonly isCurrent: (ratios: ShareRatios) => (one: Taken) => boolean
}

/** Stores orders but for those whose token has been split meanwhile: they are taken in the next round, by its terms. */
async function storeCurrent(
  sql: Sql,
  broker: Broker,
  chainId: number,
  { storable, answers, isCurrent }: Storable,
): Promise<number> {
  if (storable.length === 0) return 0
  return await inTransaction(sql, async (tx) => {
    await lockSplits(
      tx,
      chainId,
      storable.map(({ token }) => token),
    )
    const current = storable.filter(isCurrent(await readShareRatios(tx, chainId)))
    if (current.length > 0) await store(tx, broker, chainId, current, answers)
    return current.length
  })
}

/** How orders stand at the broker, as far as it was asked; null for one that it has not. */
type Answers = ReadonlyMap<string, BrokerOrder | null>

/** Whether an order must not be stored before the broker is asked. One to be cancelled it is asked for before that is done. */
const mayStand = ({ executedAt, unsentEnd }: Taken): boolean =>
  executedAt !== null || (unsentEnd !== null && unsentEnd !== 'canceled')

/** One that has ended on chain is stored for what the broker has of it alone. */
const isStorable = ({ isOpen }: Taken, answer: BrokerOrder | null | undefined): boolean => isOpen || Boolean(answer)

/** How orders stand at the broker. */
async function askBroker(broker: Broker, asked: readonly Taken[]): Promise<Answers> {
  if (asked.length === 0) return new Map()
  const orderIds = asked.map(({ orderId }) => orderId)
  const found = new Map((await broker.findOrders(orderIds)).map((order) => [order.clientOrderId, order]))
  return new Map(orderIds.map((orderId) => [orderId, found.get(orderId) ?? null]))
}

/**
 * Stores orders for the broker, with the ends of those that it never gets, and how those stand that it has: in one step, so that none is
 * submitted first.
 */
async function store(
  tx: Tx,
  broker: Broker,
  chainId: number,
  taken: readonly Taken[],
  answers: Answers,
): Promise<void> {
  await insertTakenOrders(tx, chainId, taken)
  await requestOrders(
    tx,
    broker,
    chainId,
    taken.map(({ request }) => request),
  )
  for (const { orderId, unsentEnd } of taken) {
    const answer = answers.get(orderId)
    if (answer) await applyBrokerAnswers(tx, chainId, [answer])
    if (unsentEnd === null) continue
    if (answer || unsentEnd === 'canceled') await requestCancels(tx, chainId, [orderId])
    else if (unsentEnd === 'expired') await expireOrder(tx, chainId, orderId)
    else await rejectOrder(tx, chainId, orderId, unsentEnd.reason)
  }
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
 * When the broker ends an order: a limit order with the trade date it was placed in, since the chain settles none of a later one
 * for it, a market order with the regular session of that date, after which nothing fills it; and each where its token comes to stand
 * for other shares. A chain whose clock runs ahead of the market's places orders now.
 */
function expiryOf(
  { type, token, placedAtSec }: NewOrder,
  { hours }: Pick<Market, 'hours'>,
  ratios: ShareRatios,
  nowMs: number,
): number | null {
  const placedMs = Math.min(Number(placedAtSec) * 1000, nowMs)
  const endMs = type === 'Limit' ? hours.dayOrderExpiry(placedMs) : regularEnd(hours, placedMs)
  return earliest(endMs, ratios.nextChangeMs(token, nowMs))
}

const earliest = (aMs: number | null, bMs: number | null): number | null =>
  aMs === null || bMs === null ? (aMs ?? bMs) : Math.min(aMs, bMs)

/**
 * The end of the regular session of the trade date that an instant belongs to; null where the next one goes on at once, so that
 * nothing keeps a market order waiting.
 */
function regularEnd(hours: MarketHours, timeMs: number): number | null {
  const sessions = hours.sessionsOf(hours.tradeDate(timeMs))
  const endMs = sessions.find(({ session }) => session === SESSION.regular)?.endMs ?? hours.dayOrderExpiry(timeMs)
  return hours.nextRegular(endMs) > endMs ? endMs : null
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
