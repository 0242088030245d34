import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { Hex } from '../../chain/types.ts'
import { mulWadUp } from '../../lib/wad.ts'
import type { StockChanges } from './stock-changes.ts'

export interface NewOrder {
  readonly orderId: Hex
  readonly userAddress: Hex
  readonly token: Hex
  readonly side: 'Buy' | 'Sell'
  /** Notional of a market buy, else quantity. */
  readonly amountWad: bigint
  readonly lockedWad: bigint
  readonly deadlineSec: number
  readonly exitAtSec: number
  /** Null for a market order. */
  readonly limit: { readonly priceWad: bigint; readonly timeInForce: number } | null
}

export function placeOrder(changes: StockChanges, event: ChainEvent, order: NewOrder): void {
  const { block, orders } = changes
  const { transactionHash } = event
  orders.add({
    chain_id: block.chainId,
    order_id: order.orderId,
    user_address: order.userAddress,
    token: order.token,
    side: order.side,
    order_type: order.limit ? 'Limit' : 'Market',
    amount_wad: order.amountWad,
    limit_price_wad: order.limit?.priceWad ?? null,
    time_in_force: order.limit?.timeInForce ?? null,
    locked_wad: order.lockedWad,
    deadline_sec: order.deadlineSec,
    exit_at_sec: order.exitAtSec,
    status: 'open',
    filled_quantity_wad: 0n,
    filled_notional_wad: 0n,
    third_party_fee_wad: 0n,
    protocol_fee_wad: 0n,
    refund_wad: 0n,
    reason_code: 0,
    last_settle_tx_hash: null,
    closed_at_sec: null,
    create_tx_hash: transactionHash,
    index_in_tx: event.indexInTransaction,
    nth_in_tx: changes.madeBefore(transactionHash, 'order'),
    block_number: block.number,
    created_at_sec: block.timestampSec,
    cancel_requested: false,
    cancel_tx_hash: null,
    cancel_index_in_tx: null,
    cancel_nth_in_tx: null,
    cancel_requested_at_sec: null,
    deposit_operation_id: null,
  })
}

export interface NewFill {
  readonly orderId: Hex
  readonly quantityWad: bigint
  readonly priceWad: bigint
  readonly notionalWad: bigint
  readonly thirdPartyFeeWad: bigint
  readonly protocolFeeWad: bigint
}

export function fillOrder(changes: StockChanges, event: ChainEvent, fill: NewFill): void {
  const key = { chain_id: changes.block.chainId, order_id: fill.orderId }
  changes.addFill({
    ...key,
    tx_hash: event.transactionHash,
    index_in_tx: event.indexInTransaction,
    quantity_wad: fill.quantityWad,
    price_wad: fill.priceWad,
    notional_wad: fill.notionalWad,
    third_party_fee_wad: fill.thirdPartyFeeWad,
    protocol_fee_wad: fill.protocolFeeWad,
    settled_at_sec: changes.block.timestampSec,
  })
  const order = changes.orders.get(key)
  if (!order) return
  changes.orders.change(key, {
    filled_quantity_wad: order.filled_quantity_wad + fill.quantityWad,
    filled_notional_wad: order.filled_notional_wad + fill.notionalWad,
    third_party_fee_wad: order.third_party_fee_wad + fill.thirdPartyFeeWad,
    protocol_fee_wad: order.protocol_fee_wad + fill.protocolFeeWad,
    last_settle_tx_hash: event.transactionHash,
  })
}

/**
 * mUSD that the notional at a limit order's price has left after its fills, which is the most that the next fill of a buy
 * takes (docs/decisions/010). Null for an order that is not known.
 */
export function limitNotionalLeft({ block, orders }: StockChanges, orderId: Hex): bigint | null {
  const order = orders.get({ chain_id: block.chainId, order_id: orderId })
  if (!order || order.limit_price_wad === null) return null
  return mulWadUp(order.amount_wad, order.limit_price_wad) - order.filled_notional_wad
}

export function requestCancellation(changes: StockChanges, event: ChainEvent, orderId: Hex): void {
  const { block, orders } = changes
  const { transactionHash } = event
  const key = { chain_id: block.chainId, order_id: orderId }
  orders.change(key, {
    cancel_requested: true,
    cancel_tx_hash: transactionHash,
    cancel_index_in_tx: event.indexInTransaction,
    cancel_nth_in_tx: changes.madeBefore(transactionHash, `cancellation of ${orders.get(key)?.user_address}`),
    cancel_requested_at_sec: block.timestampSec,
  })
}

export interface OrderClosing {
  readonly orderId: Hex
  readonly status: string
  readonly refundWad: bigint
  readonly reasonCode: number
}

export function closeOrder({ block, orders }: StockChanges, event: ChainEvent, closing: OrderClosing): void {
  orders.change(
    { chain_id: block.chainId, order_id: closing.orderId },
    {
      status: closing.status,
      refund_wad: closing.refundWad,
      reason_code: closing.reasonCode,
      last_settle_tx_hash: event.transactionHash,
      closed_at_sec: block.timestampSec,
    },
  )
}

/** Links an order to the cash deposit of the same step, whose id the router's event names. */
export function linkCashDeposit({ block, orders, cashOperations }: StockChanges, orderId: Hex, operationId: Hex): void {
  const { chainId: chain_id } = block
  orders.change({ chain_id, order_id: orderId }, { deposit_operation_id: operationId })
  cashOperations.change({ chain_id, operation_id: operationId }, { order_id: orderId })
}

/**
 * Links an order to the stock deposit of the same step: the user's last one of that token that the transaction has made so
 * far, for the router deposits, places, and tells so at once.
 */
export function linkStockDeposit(changes: StockChanges, orderId: Hex): void {
  const { block, orders, stockOperations } = changes
  const { chainId: chain_id } = block
  const order = orders.get({ chain_id, order_id: orderId })
  const operation_id = order && changes.stockDepositFor(order)
  if (!operation_id) return
  orders.change({ chain_id, order_id: orderId }, { deposit_operation_id: operation_id })
  stockOperations.change({ chain_id, operation_id }, { order_id: orderId })
}
