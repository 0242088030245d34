import type { Sql } from '../../db/pool.ts'
import { AppError } from '../../lib/errors.ts'
import { type MarketHours, SESSION } from '../hours.ts'
import type { Broker, BrokerOrder, BrokerOrderRequest } from '../ports.ts'
import { marketReasons } from '../reasons.ts'
import { findSymbol } from '../store.ts'
import { AlpacaBooks, type BooksOptions, EXPIRY_LEAD_MS } from './books.ts'
import {
  adoptOrder,
  answerOf,
  type CopiedOrder,
  copyOf,
  endUnsent,
  findCopies,
  journaledAfter,
  markCancelAsked,
  markUnanswered,
  takeOrder,
} from './order-store.ts'
import {
  brokerLimit8,
  isExtended,
  NOTIONAL_DECIMALS,
  QUANTITY_DECIMALS,
  termsOf,
  type WireOrder,
} from './order-wire.ts'
import { AlpacaRefusal } from './rest.ts'
import type { TradeUpdates } from './trade-updates.ts'

/** An order absent from the broker's books this long after it was sent will not appear any more. */
const SETTLE_MS = 60_000

export interface AlpacaBrokerOptions extends BooksOptions {
  /** Follows the account's trade updates; hints at what to look for. */
  readonly followUpdates: (books: AlpacaBooks) => TradeUpdates
  readonly settleMs?: number
}

/**
 * A broker at Alpaca's Trading API. Orders are DAY orders under the venue's own ids; what is sent again finds the order that
 * stands. Whether an order that was sent has come to nothing is only said when the broker does not know it a minute later.
 */
export function alpacaBroker(options: AlpacaBrokerOptions): Broker {
  const { sql, api } = options
  const books = new AlpacaBooks(options)
  const updates = options.followUpdates(books)
  const upToDate = async () => {
    updates.use()
    await books.sync()
  }
  return {
    name: 'alpaca',
    precision: { quantityDecimals: QUANTITY_DECIMALS, notionalDecimals: NOTIONAL_DECIMALS },
    async submit(order) {
      await books.checkAccount()
      updates.use()
      return submit(options, books, order)
    },
    cancel: (clientOrderId) => cancel(options, books, clientOrderId),
    async findOrders(clientOrderIds) {
      await upToDate()
      await adoptUnanswered(options, clientOrderIds)
      return (await findCopies(sql, clientOrderIds)).flatMap((copy) => answerOf(copy) ?? [])
    },
    async openOrders() {
      await books.checkAccount()
      return (await api.openOrders()).map(toPort)
    },
    async executionsSince(cursor, limit) {
      const read = () => journaledAfter(sql, BigInt(cursor ?? '0'), limit)
      let page = await read()
      // What is known already is given out even while the broker is away.
      if (page.executions.length === 0) {
        await upToDate()
        page = await read()
      }
      return { executions: page.executions, cursor: page.executions.length === 0 ? cursor : page.last.toString() }
    },
    async positions() {
      await books.checkAccount()
      return api.positions()
    },
  }
}

/** Copies those of the named orders that the broker has and this database has no answer for: one put back may have lost it. */
async function adoptUnanswered({ sql, api }: AlpacaBrokerOptions, clientOrderIds: readonly string[]): Promise<void> {
  const copies = await findCopies(sql, clientOrderIds)
  const answered = new Set(copies.flatMap((copy) => (answerOf(copy) ? [copy.clientOrderId] : [])))
  for (const clientOrderId of clientOrderIds) {
    if (answered.has(clientOrderId)) continue
    const standing = await api.findByClientOrderId(clientOrderId)
    if (standing) await adoptOrder(sql, standing)
  }
}

const toPort = ({ clientOrderId, brokerOrderId, symbol, side, status, filledQuantityWad }: WireOrder): BrokerOrder => ({
  clientOrderId,
  brokerOrderId,
  symbol,
  side,
  status,
  filledQuantityWad,
  rejectReason: null,
})

async function submit(
  options: AlpacaBrokerOptions,
  books: AlpacaBooks,
  order: BrokerOrderRequest,
): Promise<BrokerOrder> {
  const { sql, api, clock, hours } = options
  const copy = await copyOf(sql, order)
  if (copy.terms !== termsOf(order)) throw reused(order)
  const known = answerOf(copy)
  if (known) return known
  const takeStanding = async () => {
    const standing = await api.findByClientOrderId(order.clientOrderId)
    return standing && take(sql, books, order, standing)
  }
  const wasSent = copy.unansweredAtMs !== null
  const standing = wasSent ? await takeStanding() : null
  if (standing) return standing
  const nowMs = clock.nowMs()
  const fractionalEhEnabled = (await findSymbol(sql, order.symbol))?.fractionalEhEnabled ?? false
  const unsentEnd = unsentEndOf(order, hours, fractionalEhEnabled, nowMs)
  if (unsentEnd) {
    // A database that was put back to an earlier state does not know what it had sent.
    const lost = wasSent ? null : await takeStanding()
    return lost ?? end(options, copy, unsentEnd.status, unsentEnd.reason)
  }
  await markUnanswered(sql, order.clientOrderId, nowMs)
  try {
    const placed = await api.place(order, fractionalEhEnabled)
    return await take(sql, books, order, placed)
  } catch (error) {
    if (!(error instanceof AlpacaRefusal)) throw error
    // The id may be taken: by this very order, sent before.
    const own = await takeStanding()
    if (own) return own
    await markUnanswered(sql, order.clientOrderId, copy.unansweredAtMs)
    if (/client.?order.?id/i.test(error.message)) throw unknown(order.clientOrderId, error)
    return end(options, copy, 'rejected', error.message)
  }
}

type UnsentEnd = { readonly status: 'expired' | 'rejected'; readonly reason: string | null }

/** How an order ends that is not to be sent at this instant, Unix ms; null for one that is. */
function unsentEndOf(
  order: BrokerOrderRequest,
  hours: MarketHours,
  fractionalEhEnabled: boolean,
  nowMs: number,
): UnsentEnd | null {
  const fillableMs = isExtended(order, fractionalEhEnabled) ? nextOpen(hours, nowMs) : hours.nextRegular(nowMs)
  // Alpaca keeps what comes after its sessions for the next open, however long the venue has ended it by then.
  if (order.expiresAtMs !== null && fillableMs >= order.expiresAtMs - EXPIRY_LEAD_MS) {
    return { status: 'expired', reason: null }
  }
  if (order.type === 'limit' && brokerLimit8(order.side, order.limitPrice8) === 0n) {
    return { status: 'rejected', reason: 'the limit price is finer than the broker takes' }
  }
  return null
}

/** The instant itself while the market is open, else when the next trade date begins. */
const nextOpen = (hours: MarketHours, timeMs: number): number =>
  hours.session(timeMs) === SESSION.closed ? hours.tradeDateStart(hours.tradeDate(timeMs)) : timeMs

/** Takes over the order that stands under the id; `client_order_id_reused` when it is another. */
async function take(
  sql: Sql,
  books: AlpacaBooks,
  order: BrokerOrderRequest,
  standing: WireOrder,
): Promise<BrokerOrder> {
  if (standing.terms !== termsOf(order)) throw reused(order)
  await takeOrder(sql, standing)
  if (standing.filledQuantityWad > 0n) books.hint()
  return answer(sql, order.clientOrderId)
}

/**
 * Ends an order that does not stand at the broker. One that was sent before may still be on its way: it is asked for again
 * until that cannot be any more.
 */
async function end(
  { sql, clock, settleMs = SETTLE_MS }: AlpacaBrokerOptions,
  { clientOrderId, unansweredAtMs }: CopiedOrder,
  status: 'expired' | 'rejected',
  reason: string | null,
): Promise<BrokerOrder> {
  if (unansweredAtMs !== null && clock.nowMs() - unansweredAtMs < settleMs) throw unknown(clientOrderId)
  await endUnsent(sql, clientOrderId, status, reason)
  return answer(sql, clientOrderId)
}

async function answer(sql: Sql, clientOrderId: string): Promise<BrokerOrder> {
  const [copy] = await findCopies(sql, [clientOrderId])
  const order = copy && answerOf(copy)
  if (!order) throw new Error(`no answer for order ${clientOrderId}`)
  return order
}

async function cancel(
  { sql, api }: AlpacaBrokerOptions,
  books: AlpacaBooks,
  clientOrderId: string,
): Promise<BrokerOrder | null> {
  await books.checkAccount()
  let [copy] = await findCopies(sql, [clientOrderId])
  if (!copy?.brokerOrderId) {
    const standing = await api.findByClientOrderId(clientOrderId)
    if (standing) await adoptOrder(sql, standing)
    ;[copy] = await findCopies(sql, [clientOrderId])
  }
  const known = copy && answerOf(copy)
  if (!known) return null
  if (!copy?.brokerOrderId || (known.status !== 'accepted' && known.status !== 'partially_filled')) return known
  await markCancelAsked(sql, clientOrderId)
  await books.cancel(copy.brokerOrderId)
  return answer(sql, clientOrderId)
}

const reused = ({ clientOrderId }: BrokerOrderRequest): AppError =>
  new AppError(marketReasons.client_order_id_reused, `client order id ${clientOrderId} was used before`)

const unknown = (clientOrderId: string, cause?: unknown): AppError =>
  new AppError(marketReasons.broker_unavailable, `it is not known yet whether order ${clientOrderId} stands`, { cause })
