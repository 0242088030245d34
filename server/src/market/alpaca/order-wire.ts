import { formatUnits } from '../../lib/decimal.ts'
import { WAD, WAD_DECIMALS } from '../../lib/wad.ts'
import type { BrokerOrderRequest, BrokerOrderStatus, Side } from '../ports.ts'
import { decimal, invalid, optionalDecimal, optionalText, optionalTime, text, type WireObject } from './wire.ts'

export const QUANTITY_DECIMALS = 9
export const NOTIONAL_DECIMALS = 2
const PRICE = 8
const DOLLAR8 = 10n ** 8n

/**
 * What a status of theirs is to the venue (https://docs.alpaca.markets/docs/orders-at-alpaca, "Order Lifecycle"). `open`
 * is what may still be filled. All orders of the venue are DAY orders: `done_for_day` ends them. A replaced order is
 * another's beginning and its own end. `calculated` is one whose fills are still being counted.
 */
export const STATUSES: Readonly<Record<string, BrokerOrderStatus | 'open'>> = {
  new: 'open',
  accepted: 'open',
  pending_new: 'open',
  accepted_for_bidding: 'open',
  pending_review: 'open',
  held: 'open',
  partially_filled: 'open',
  pending_cancel: 'open',
  pending_replace: 'open',
  stopped: 'open',
  suspended: 'open',
  calculated: 'open',
  filled: 'filled',
  done_for_day: 'expired',
  expired: 'expired',
  canceled: 'canceled',
  replaced: 'canceled',
  rejected: 'rejected',
}

/** An order as Alpaca has it. */
export interface WireOrder {
  readonly clientOrderId: string
  readonly brokerOrderId: string
  readonly symbol: string
  readonly side: Side
  /** A canonical text of what was ordered, to compare with `termsOf`. */
  readonly terms: string
  readonly status: BrokerOrderStatus
  readonly filledQuantityWad: bigint
  readonly submittedMs: number
  readonly changedMs: number
  readonly canceledMs: number | null
}

/** Reads https://docs.alpaca.markets/reference/getorderbyorderid. A status that is not documented counts as open. */
export function readOrder(order: WireObject): WireOrder {
  const side = readSide(order)
  const filledQuantityWad = optionalDecimal(order, 'filled_qty', WAD_DECIMALS) ?? 0n
  const submittedMs = optionalTime(order, 'submitted_at') ?? optionalTime(order, 'created_at')
  if (submittedMs === null) throw invalid('the field submitted_at is missing')
  const known = STATUSES[text(order, 'status')] ?? 'open'
  return {
    clientOrderId: text(order, 'client_order_id'),
    brokerOrderId: text(order, 'id'),
    symbol: text(order, 'symbol'),
    side,
    terms: [
      text(order, 'symbol'),
      side,
      optionalText(order, 'type') ?? text(order, 'order_type'),
      optionalDecimal(order, 'notional', WAD_DECIMALS) ?? '',
      // For an order by notional, the quantity is what was filled so far.
      optionalDecimal(order, 'notional', WAD_DECIMALS) === null ? decimal(order, 'qty', WAD_DECIMALS) : '',
      optionalDecimal(order, 'limit_price', PRICE) ?? '',
    ].join(' '),
    status: known !== 'open' ? known : filledQuantityWad > 0n ? 'partially_filled' : 'accepted',
    filledQuantityWad,
    submittedMs,
    changedMs: optionalTime(order, 'updated_at') ?? submittedMs,
    canceledMs: optionalTime(order, 'canceled_at'),
  }
}

/** `sell_short` is a sale too. */
export function readSide(object: WireObject): Side {
  const side = text(object, 'side')
  if (side === 'buy') return 'buy'
  if (side === 'sell' || side === 'sell_short') return 'sell'
  throw invalid(`the side ${side} is not known`)
}

export const termsOf = (order: BrokerOrderRequest): string =>
  [
    order.symbol,
    order.side,
    order.type,
    'notionalWad' in order ? order.notionalWad : '',
    'quantityWad' in order ? order.quantityWad : '',
    order.type === 'limit' ? brokerLimit8(order.side, order.limitPrice8) : '',
  ].join(' ')

/**
 * A limit in the steps that the broker takes (Rule 612: cents, hundredths of a cent below a dollar), never worse than the
 * order's: of a buy the step below, of a sale the one above. Zero when there is none.
 */
export function brokerLimit8(side: Side, limitPrice8: bigint): bigint {
  const step8 = limitPrice8 >= DOLLAR8 ? DOLLAR8 / 100n : DOLLAR8 / 10_000n
  const below8 = (limitPrice8 / step8) * step8
  return side === 'buy' || below8 === limitPrice8 ? below8 : below8 + step8
}

/** Whether an order takes part in the sessions around the regular one; a fraction of a share that trades only whole there does not. */
export const isExtended = (order: BrokerOrderRequest, fractionalEhEnabled: boolean): boolean =>
  order.type === 'limit' && (order.quantityWad % WAD === 0n || fractionalEhEnabled)

/** The body of https://docs.alpaca.markets/reference/postorder. */
export function orderBody(order: BrokerOrderRequest, fractionalEhEnabled: boolean): Readonly<Record<string, unknown>> {
  const named = { symbol: order.symbol, side: order.side, type: order.type, time_in_force: 'day' }
  const identified = { ...named, client_order_id: order.clientOrderId }
  if ('notionalWad' in order) return { ...identified, notional: formatUnits(order.notionalWad, WAD_DECIMALS) }
  const sized = { ...identified, qty: formatUnits(order.quantityWad, WAD_DECIMALS) }
  if (order.type === 'market') return sized
  return {
    ...sized,
    limit_price: formatUnits(brokerLimit8(order.side, order.limitPrice8), PRICE),
    extended_hours: isExtended(order, fractionalEhEnabled),
  }
}
