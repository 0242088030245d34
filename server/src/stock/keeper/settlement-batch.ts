import type { Hex } from '../../chain/types.ts'
import { WAD } from '../../lib/wad.ts'
import { REJECTION_CODE } from '../orders/rejection-reason.ts'
import { notionalWad } from '../units.ts'
import type { OpenExecution, SettleableOrder } from './keeper-store.ts'

/** One fill as `Stock.settleMarketOrders` and `settleLimitOrders` take it; quantities and prices have 18 decimals. */
export interface Fill {
  readonly orderId: Hex
  readonly filledBefore: bigint
  readonly quantity: bigint
  readonly price: bigint
  /** The broker will not fill the order any further. */
  readonly last: boolean
}

/** `EndCause` of the contract. */
export const END_CAUSE = { userRequest: 0, rejected: 1, expired: 2 } as const

/** The end of a limit order as `Stock.settleCancels` takes it, with the part that was filled last. */
export interface Cancellation {
  readonly orderId: Hex
  readonly filledBefore: bigint
  readonly quantity: bigint
  readonly price: bigint
  readonly cause: (typeof END_CAUSE)[keyof typeof END_CAUSE]
  readonly reasonCode: number
}

/** An order for which there is something to settle, with those of its executions that no settlement has taken. */
export interface Settlement {
  readonly order: SettleableOrder
  readonly executions: readonly OpenExecution[]
}

/** The contents of one settling call. */
export interface Batch<Item> {
  readonly items: readonly Item[]
  readonly executionIds: readonly string[]
  readonly orderIds: readonly Hex[]
  /** What buys are worth more than sells, USD with 18 decimals: the settler receives about as much cash (negative: pays). */
  readonly netNotionalWad: bigint
}

/**
 * The first `maxFills` fills of the settlements, in their order. Of a limit order that ends without being full the last part
 * is left to its cancellation.
 */
export function fillsOf(settlements: readonly Settlement[], maxFills: number): Batch<Fill> {
  const fills: Fill[] = []
  const executions: OpenExecution[] = []
  const orderIds = new Set<Hex>()
  let netNotionalWad = 0n
  for (const { order, executions: open } of settlements) {
    if (!order.sameTerms) continue
    const next = continuing(order, open)
    const ownFills = endsUnfilled(order) ? next.slice(0, -1) : next
    let settledWad = order.filledNotionalWad
    for (const execution of ownFills.slice(0, maxFills - fills.length)) {
      executions.push(execution)
      const { filledBeforeWad, quantityWad } = execution
      // Less than the smallest part of a token: there is nothing to move.
      if (quantityWad === 0n) continue
      const price = fittingPrice(order, execution, settledWad)
      settledWad += notionalWad(quantityWad, price, order.side)
      const isLast = order.brokerStatus === 'filled' && filledBeforeWad + quantityWad === order.brokerQuantityWad
      fills.push({
        orderId: order.orderId,
        filledBefore: filledBeforeWad,
        quantity: quantityWad,
        price,
        last: isLast,
      })
      orderIds.add(order.orderId)
      netNotionalWad += signed(order, (quantityWad * price) / WAD)
    }
  }
  return { items: fills, executionIds: executions.map(idOf), orderIds: [...orderIds], netNotionalWad }
}

/**
 * The price of an execution: lowered where a market buy of which `settledWad` is settled would not have enough left for it by rounding
 * alone. The tokens of an execution are less than one 10^-18 of a token above its shares, since their running total is rounded down, their
 * price is not above that of the shares, and what they cost is rounded up, what was traded for down. So each costs less than a 10^-18 of its
 * price and two wei more than was traded for, and the sum of that is the most by which an order is short whose notional covers what
 * was traded for. Where it does not the broker has bought too much: that is not made to fit, and the contract skips it.
 */
function fittingPrice(
  { type, side, amountWad }: SettleableOrder,
  { quantityWad, priceWad, tradedWad }: OpenExecution,
  settledWad: bigint,
): bigint {
  if (type !== 'Market' || side !== 'Buy' || tradedWad > amountWad) return priceWad
  const leftWad = amountWad - settledWad
  if (leftWad <= 0n || notionalWad(quantityWad, priceWad, side) <= leftWad) return priceWad
  return (leftWad * WAD) / quantityWad
}

/** The ends of limit orders that the broker will not fill further and of which at most one part is still to be settled. */
export function cancellationsOf(settlements: readonly Settlement[], maxOrders: number): Batch<Cancellation> {
  const ended = settlements.filter(isReadyToEnd).slice(0, maxOrders)
  const lastParts = ended.map(({ order, executions }) =>
    order.sameTerms ? continuing(order, executions)[0] : undefined,
  )
  const items = ended.map(({ order }, index) => ({
    orderId: order.orderId,
    filledBefore: order.filledQuantityWad,
    quantity: lastParts[index]?.quantityWad ?? 0n,
    price: lastParts[index]?.priceWad ?? 0n,
    cause: causeOf(order),
    reasonCode: reasonCodeOf(order),
  }))
  return {
    items,
    executionIds: lastParts.flatMap((part) => (part ? [part.executionId] : [])),
    orderIds: ended.map(({ order }) => order.orderId),
    netNotionalWad: ended.reduce((sum, { order }, index) => sum + signed(order, worthOf(items[index])), 0n),
  }
}

/** The executions that follow without a gap on what the chain has settled of the order. */
function continuing(order: SettleableOrder, executions: readonly OpenExecution[]): readonly OpenExecution[] {
  let filledWad = order.filledQuantityWad
  const next: OpenExecution[] = []
  for (const execution of executions) {
    if (execution.filledBeforeWad !== filledWad) break
    filledWad += execution.quantityWad
    next.push(execution)
  }
  return next
}

const isFinished = ({ brokerStatus }: SettleableOrder): boolean =>
  brokerStatus !== 'requested' && brokerStatus !== 'accepted' && brokerStatus !== 'partially_filled'

/** True for a limit order that the broker has ended before it was full. */
const endsUnfilled = (order: SettleableOrder): boolean =>
  order.type === 'Limit' && isFinished(order) && order.brokerStatus !== 'filled'

function isReadyToEnd({ order, executions }: Settlement): boolean {
  if (order.type !== 'Limit') return false
  if (!order.sameTerms) return true
  if (!isFinished(order)) return false
  const next = continuing(order, executions)
  const settledWad = next.reduce((sum, { quantityWad }) => sum + quantityWad, order.filledQuantityWad)
  if (settledWad !== order.brokerQuantityWad) return false
  // A full one closes with its last fill; one that is open without any left had digits finer than the broker trades.
  return order.brokerStatus === 'filled' ? next.length === 0 : next.length <= 1
}

/** True when nothing more of a market order will be filled and it is still open on chain: its rest is to be released. */
export const isEndedMarketOrder = ({
  type,
  sameTerms,
  filledQuantityWad,
  brokerQuantityWad,
}: SettleableOrder): boolean => type === 'Market' && (!sameTerms || filledQuantityWad === brokerQuantityWad)

function causeOf({ sameTerms, brokerStatus, cancelRequested }: SettleableOrder): Cancellation['cause'] {
  if (!sameTerms) return END_CAUSE.rejected
  if (brokerStatus === 'expired') return END_CAUSE.expired
  return brokerStatus === 'canceled' && cancelRequested ? END_CAUSE.userRequest : END_CAUSE.rejected
}

/** Why an order ends without being full, in the venue's codes. */
export function reasonCodeOf({ type, sameTerms, brokerStatus, cancelRequested }: SettleableOrder): number {
  if (!sameTerms) return REJECTION_CODE.replaced
  if (brokerStatus === 'rejected' || brokerStatus === 'expired') return REJECTION_CODE[brokerStatus]
  if (brokerStatus === 'filled') return REJECTION_CODE.tooFine
  return type === 'Limit' && cancelRequested ? 0 : REJECTION_CODE.canceled
}

const signed = ({ side }: SettleableOrder, worthWad: bigint): bigint => (side === 'Buy' ? worthWad : -worthWad)

const worthOf = (part: Cancellation | undefined): bigint => (part ? (part.quantity * part.price) / WAD : 0n)
const idOf = ({ executionId }: OpenExecution): string => executionId
