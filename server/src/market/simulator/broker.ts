import type { Sql, Tx } from '../../db/pool.ts'
import type { Clock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { WAD } from '../../lib/wad.ts'
import { type AppliedSplit, afterSplits } from '../applied-splits.ts'
import { columnsOf } from '../broker-store.ts'
import type { MarketHours } from '../hours.ts'
import type { Instrument } from '../instruments.ts'
import type { Broker, BrokerOrder, BrokerOrderRequest, BrokerPosition, ExecutionPage } from '../ports.ts'
import { marketReasons } from '../reasons.ts'
import { Book, carryForward } from './book.ts'
import { DECIMALS, delayMs, digest, type MatchingRules, UNIT_WAD } from './matching.ts'
import type { SimulatedPrices } from './prices.ts'
import {
  type BookOrder,
  cancelBookOrder,
  executionsAfter,
  findBookOrders,
  insertBookOrder,
  newsOfBooks,
  openBookOrders,
  type TradedQuantity,
  tradedQuantities,
} from './store.ts'

const PRICE_UNIT = 10n ** 8n

export interface SimulatedBrokerOptions {
  readonly sql: Sql
  readonly seed: string
  readonly marketClock: Clock
  /** Market orders fill in regular sessions only, limit orders in every session in which their asset may trade. */
  readonly hours: MarketHours
  readonly instruments: readonly Instrument[]
  readonly prices: SimulatedPrices
  /** Larger orders are rejected; USD with 18 decimals. */
  readonly maxOrderNotionalWad: bigint
  /** An order fills, or is cancelled, this many quotes after it was asked for at most; seed and client order id decide. */
  readonly maxFillDelaySteps: number
}

/**
 * A broker that fills a buy at the ask and a sell at the bid of the simulated quote of the second it fills in: market orders
 * whole, limit orders as far as the quote's size goes. Its books are in PostgreSQL and the fills follow from them, so that a
 * restart finds the same orders, and an order that fell due meanwhile fills at the price of its own second.
 */
export function simulatedBroker(options: SimulatedBrokerOptions): Broker {
  const { sql } = options
  const book = new Book(options)
  return {
    name: 'simulator',
    precision: { quantityDecimals: DECIMALS, notionalDecimals: DECIMALS },
    submit: (order) => book.run((tx, rules) => submit(tx, options, rules, order)),
    cancel: (clientOrderId) => book.run((tx, rules) => cancel(tx, options, rules, clientOrderId)),
    findOrders: (clientOrderIds) => book.run(async (tx) => (await findBookOrders(tx, clientOrderIds)).map(toAnswer)),
    openOrders: () => book.run(async (tx) => (await openBookOrders(tx)).map(toAnswer)),
    executionsSince: async (cursor, limit) => {
      // Without an order nothing can have fallen due, and this is asked twice a second.
      const { hasOpenOrders, hasExecutions } = await newsOfBooks(sql, BigInt(cursor ?? '0'))
      if (hasOpenOrders) await book.run(async () => {})
      return hasOpenOrders || hasExecutions ? executionsSince(sql, cursor, limit) : { executions: [], cursor }
    },
    positions: () =>
      book.run(async (tx, { splits }) => {
        const nowMs = options.marketClock.nowMs()
        return positionsOf(
          await tradedQuantities(tx),
          splits.filter(({ effectiveMs }) => effectiveMs <= nowMs),
        )
      }),
  }
}

/** What is held of each symbol that was traded. */
function positionsOf(traded: readonly TradedQuantity[], splits: readonly AppliedSplit[]): readonly BrokerPosition[] {
  const symbols = [...new Set(traded.map(({ symbol }) => symbol))]
  return symbols.flatMap((symbol) => {
    const ofSymbol = <T extends { readonly symbol: string }>(all: readonly T[]) =>
      all.filter((one) => one.symbol === symbol)
    const quantityWad = afterSplits(ofSymbol(traded), ofSymbol(splits))
    return quantityWad === 0n ? [] : [{ symbol, quantityWad }]
  })
}

async function submit(
  tx: Tx,
  options: SimulatedBrokerOptions,
  rules: MatchingRules,
  order: BrokerOrderRequest,
): Promise<BrokerOrder> {
  const [known] = await findBookOrders(tx, [order.clientOrderId])
  if (known) return sameOrder(known, order)
  const nowMs = options.marketClock.nowMs()
  const rejectReason = rejection(options, rules, order, nowMs)
  const isLate = order.expiresAtMs !== null && order.expiresAtMs <= nowMs
  await insertBookOrder(tx, order, {
    brokerOrderId: `sim-${digest(options.seed, order.clientOrderId, 'order').slice(0, 24)}`,
    status: rejectReason !== null ? 'rejected' : isLate ? 'expired' : 'accepted',
    rejectReason,
    acceptedMs: nowMs,
    fillTimeMs: nowMs + delayMs(options.seed, order.clientOrderId, 'delay', options.maxFillDelaySteps),
  })
  return sameOrder(await current(tx, rules, order.clientOrderId, nowMs), order)
}

/** An order of the books, matched up to now. */
async function current(
  tx: Tx,
  rules: MatchingRules,
  clientOrderId: string,
  nowMs: number,
): Promise<BookOrder | undefined> {
  const [order] = await findBookOrders(tx, [clientOrderId])
  if (!order || !isOpen(order)) return order
  await carryForward(tx, order, rules, nowMs)
  return (await findBookOrders(tx, [clientOrderId]))[0]
}

function sameOrder(known: BookOrder | undefined, order: BrokerOrderRequest): BrokerOrder {
  const { notionalWad, quantityWad, limitPrice8 } = columnsOf(order)
  const same = known?.notionalWad === notionalWad && known.quantityWad === quantityWad
  if (
    known &&
    same &&
    known.symbol === order.symbol &&
    known.side === order.side &&
    known.limitPrice8 === limitPrice8
  ) {
    return toAnswer(known)
  }
  throw new AppError(marketReasons.client_order_id_reused, `client order id ${order.clientOrderId} was used before`)
}

/** Why the broker does not take an order; null when it does. */
function rejection(
  { instruments, hours, prices, maxOrderNotionalWad }: SimulatedBrokerOptions,
  { splits }: MatchingRules,
  order: BrokerOrderRequest,
  nowMs: number,
): string | null {
  const { symbol } = order
  const quote = prices.quoteAt(symbol, hours.lastOpen(nowMs), splits)
  const instrument = instruments.find((candidate) => candidate.symbol === symbol)
  if (!instrument || !quote) return `${symbol} is not known`
  if (!instrument.tradable) return `${symbol} is not tradable`
  const { notionalWad, quantityWad, limitPrice8 } = columnsOf(order)
  const amountWad = notionalWad ?? quantityWad ?? 0n
  if (amountWad <= 0n || amountWad % UNIT_WAD !== 0n) {
    return `an amount is positive and has at most ${DECIMALS} decimals`
  }
  if (limitPrice8 !== null && limitPrice8 <= 0n) return 'a limit price is positive'
  const isWhole = quantityWad !== null && quantityWad % WAD === 0n
  if (!instrument.fractionable && !isWhole) return `${symbol} trades in whole shares only`
  const worthWad = notionalWad ?? (amountWad * (limitPrice8 ?? quote.bid8)) / PRICE_UNIT
  return worthWad > maxOrderNotionalWad ? 'the order is larger than the broker takes' : null
}

/** A cancel takes effect some seconds later, as the seed has it: until then the order may be filled. */
async function cancel(
  tx: Tx,
  options: SimulatedBrokerOptions,
  rules: MatchingRules,
  clientOrderId: string,
): Promise<BrokerOrder | null> {
  const [order] = await findBookOrders(tx, [clientOrderId])
  if (!order) return null
  if (!isOpen(order)) return toAnswer(order)
  const nowMs = options.marketClock.nowMs()
  await cancelBookOrder(
    tx,
    clientOrderId,
    nowMs + delayMs(options.seed, clientOrderId, 'cancel', options.maxFillDelaySteps),
  )
  const after = await current(tx, rules, clientOrderId, nowMs)
  return after ? toAnswer(after) : null
}

const isOpen = ({ status }: BookOrder): boolean => status === 'accepted' || status === 'partially_filled'

async function executionsSince(sql: Sql, cursor: string | null, limit: number): Promise<ExecutionPage> {
  const { executions, last } = await executionsAfter(sql, BigInt(cursor ?? '0'), limit)
  return { executions, cursor: executions.length === 0 ? cursor : last.toString() }
}

const toAnswer = (order: BookOrder): BrokerOrder => ({
  clientOrderId: order.clientOrderId,
  brokerOrderId: order.brokerOrderId,
  symbol: order.symbol,
  side: order.side,
  status: order.status,
  filledQuantityWad: order.filledQuantityWad,
  rejectReason: order.rejectReason,
})
