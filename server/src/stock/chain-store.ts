import type { ChainEvent } from '../chain/follow/event-module.ts'
import type { ChainBlock, ChainTransaction, Hex } from '../chain/types.ts'
import { numeric, type Tx } from '../db/pool.ts'
import { calldataHash } from './calldata-hash.ts'

// Writes of the indexer: one function a statement, called by events.ts alone.

export async function insertTransaction(tx: Tx, block: ChainBlock, transaction: ChainTransaction): Promise<void> {
  const { hash, from, to, valueWei, input, succeeded } = transaction
  // A contract creation has no recipient; the zero address stands in, which no calldata answer ever names.
  const bound = calldataHash(to ?? '0x0000000000000000000000000000000000000000', valueWei, input)
  await tx`
    insert into stock_transactions
      (chain_id, tx_hash, block_number, from_address, to_address, calldata_hash, succeeded, mined_at_sec)
    values (${block.chainId}, ${hash}, ${block.number}, ${from}, ${to}, ${bound}, ${succeeded}, ${block.timestampSec})`
}

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

export async function insertOrder(tx: Tx, block: ChainBlock, event: ChainEvent, order: NewOrder): Promise<void> {
  const { limit } = order
  await tx`
    insert into stock_orders
      (chain_id, order_id, user_address, token, side, order_type, amount_wad, limit_price_wad, time_in_force, locked_wad,
       deadline_sec, exit_at_sec, status, create_tx_hash, index_in_tx, nth_in_tx, block_number, created_at_sec)
    values
      (${block.chainId}, ${order.orderId}, ${order.userAddress}, ${order.token}, ${order.side},
       ${limit ? 'Limit' : 'Market'}, ${numeric(order.amountWad)}, ${numeric(limit?.priceWad)}, ${limit?.timeInForce ?? null},
       ${numeric(order.lockedWad)}, ${order.deadlineSec}, ${order.exitAtSec}, 'open',
       ${event.transactionHash}, ${event.indexInTransaction},
       (select count(*) from stock_orders where chain_id = ${block.chainId} and create_tx_hash = ${event.transactionHash}),
       ${block.number}, ${block.timestampSec})`
}

export interface NewFill {
  readonly orderId: Hex
  readonly quantityWad: bigint
  readonly priceWad: bigint
  readonly notionalWad: bigint
  readonly thirdPartyFeeWad: bigint
  readonly protocolFeeWad: bigint
}

export async function insertFill(tx: Tx, block: ChainBlock, event: ChainEvent, fill: NewFill): Promise<void> {
  await tx`
    insert into stock_fills
      (chain_id, tx_hash, index_in_tx, order_id, quantity_wad, price_wad, notional_wad, third_party_fee_wad,
       protocol_fee_wad, settled_at_sec)
    values
      (${block.chainId}, ${event.transactionHash}, ${event.indexInTransaction}, ${fill.orderId}, ${numeric(fill.quantityWad)},
       ${numeric(fill.priceWad)}, ${numeric(fill.notionalWad)}, ${numeric(fill.thirdPartyFeeWad)}, ${numeric(fill.protocolFeeWad)}, ${block.timestampSec})`
  await tx`
    update stock_orders set
      filled_quantity_wad = filled_quantity_wad + ${numeric(fill.quantityWad)},
      filled_notional_wad = filled_notional_wad + ${numeric(fill.notionalWad)},
      third_party_fee_wad = third_party_fee_wad + ${numeric(fill.thirdPartyFeeWad)},
      protocol_fee_wad = protocol_fee_wad + ${numeric(fill.protocolFeeWad)},
      last_settle_tx_hash = ${event.transactionHash}
    where chain_id = ${block.chainId} and order_id = ${fill.orderId}`
}

/**
 * mUSD that the notional at a limit order's price has left after its fills, which is the most that the next fill of a buy
 * takes (docs/decisions/010). Null for an order that is not known.
 */
export async function limitNotionalLeft(tx: Tx, block: ChainBlock, orderId: Hex): Promise<bigint | null> {
  const rows = await tx<{ leftWad: bigint }[]>`
    select div(amount_wad * limit_price_wad + 999999999999999999, 1000000000000000000) - filled_notional_wad as "leftWad" from stock_orders
    where chain_id = ${block.chainId} and order_id = ${orderId}`
  return rows[0]?.leftWad ?? null
}

export async function requestCancellation(tx: Tx, block: ChainBlock, event: ChainEvent, orderId: Hex): Promise<void> {
  await tx`
    update stock_orders o set
      cancel_requested = true, cancel_tx_hash = ${event.transactionHash}, cancel_index_in_tx = ${event.indexInTransaction},
      cancel_nth_in_tx = (select count(*) from stock_orders earlier where earlier.chain_id = o.chain_id
        and earlier.cancel_tx_hash = ${event.transactionHash} and earlier.user_address = o.user_address),
      cancel_requested_at_sec = ${block.timestampSec}
    where o.chain_id = ${block.chainId} and o.order_id = ${orderId}`
}

export interface OrderClosing {
  readonly orderId: Hex
  readonly status: string
  readonly refundWad: bigint
  readonly reasonCode: number
}

export async function closeOrder(tx: Tx, block: ChainBlock, event: ChainEvent, closing: OrderClosing): Promise<void> {
  await tx`
    update stock_orders set
      status = ${closing.status}, refund_wad = ${numeric(closing.refundWad)}, reason_code = ${closing.reasonCode},
      last_settle_tx_hash = ${event.transactionHash}, closed_at_sec = ${block.timestampSec}
    where chain_id = ${block.chainId} and order_id = ${closing.orderId}`
}

export interface NewCashOperation {
  readonly operationId: Hex
  readonly kind: 'deposit' | 'withdraw'
  readonly userAddress: Hex
  readonly token: Hex
  readonly isInstant: boolean
  readonly amountRaw: bigint | null
  readonly amountWad: bigint | null
  readonly feeWad: bigint
  readonly exitAtSec: number | null
}

export async function insertCashOperation(
  tx: Tx,
  block: ChainBlock,
  event: ChainEvent,
  operation: NewCashOperation,
): Promise<void> {
  const { isInstant } = operation
  await tx`
    insert into cash_operations
      (chain_id, operation_id, kind, user_address, token, status, is_instant, amount_raw, amount_wad, fee_wad,
       exit_at_sec, create_tx_hash, index_in_tx, nth_in_tx, created_at_sec, settle_tx_hash, settled_at_sec)
    values
      (${block.chainId}, ${operation.operationId}, ${operation.kind}, ${operation.userAddress}, ${operation.token},
       ${isInstant ? 'settled' : 'queued'}, ${isInstant}, ${numeric(operation.amountRaw)}, ${numeric(operation.amountWad)},
       ${numeric(operation.feeWad)}, ${operation.exitAtSec}, ${event.transactionHash}, ${event.indexInTransaction},
       (select count(*) from cash_operations where chain_id = ${block.chainId}
         and create_tx_hash = ${event.transactionHash} and kind = ${operation.kind}),
       ${block.timestampSec}, ${isInstant ? event.transactionHash : null}, ${isInstant ? block.timestampSec : null})`
}

export interface CashOperationEnd {
  readonly operationId: Hex
  readonly status: 'settled' | 'taken_back'
  readonly amountRaw: bigint | null
  readonly amountWad: bigint | null
  readonly feeWad: bigint
}

export async function finishCashOperation(
  tx: Tx,
  block: ChainBlock,
  event: ChainEvent,
  end: CashOperationEnd,
): Promise<void> {
  await tx`
    update cash_operations set
      status = ${end.status}, amount_raw = ${numeric(end.amountRaw)}, amount_wad = ${numeric(end.amountWad)}, fee_wad = ${numeric(end.feeWad)},
      settle_tx_hash = ${event.transactionHash}, settled_at_sec = ${block.timestampSec}
    where chain_id = ${block.chainId} and operation_id = ${end.operationId}`
}

export interface SettingsChange {
  readonly creditBufferWad?: bigint
  readonly creditBufferCapacityWad?: bigint
  readonly instantThresholdDivisor?: number
  readonly depositFeePpm?: number
  readonly withdrawFeePpm?: number
  readonly buyThirdPartyPpm?: number
  readonly buyProtocolPpm?: number
  readonly sellThirdPartyPpm?: number
  readonly sellProtocolPpm?: number
}

export async function updateSettings(tx: Tx, block: ChainBlock, change: SettingsChange): Promise<void> {
  await tx`insert into stock_settings (chain_id) values (${block.chainId}) on conflict do nothing`
  await tx`
    update stock_settings set
      credit_buffer_wad = coalesce(${numeric(change.creditBufferWad)}::numeric, credit_buffer_wad),
      credit_buffer_capacity_wad = coalesce(${numeric(change.creditBufferCapacityWad)}::numeric, credit_buffer_capacity_wad),
      instant_threshold_divisor = coalesce(${change.instantThresholdDivisor ?? null}, instant_threshold_divisor),
      deposit_fee_ppm = coalesce(${change.depositFeePpm ?? null}, deposit_fee_ppm),
      withdraw_fee_ppm = coalesce(${change.withdrawFeePpm ?? null}, withdraw_fee_ppm),
      buy_third_party_ppm = coalesce(${change.buyThirdPartyPpm ?? null}, buy_third_party_ppm),
      buy_protocol_ppm = coalesce(${change.buyProtocolPpm ?? null}, buy_protocol_ppm),
      sell_third_party_ppm = coalesce(${change.sellThirdPartyPpm ?? null}, sell_third_party_ppm),
      sell_protocol_ppm = coalesce(${change.sellProtocolPpm ?? null}, sell_protocol_ppm),
      updated_at_sec = ${block.timestampSec}
    where chain_id = ${block.chainId}`
}

interface CashTokenSupport {
  readonly token: Hex
  readonly supported: boolean
  readonly symbol: string
  readonly decimals: number
}

export async function upsertCashToken(tx: Tx, block: ChainBlock, support: CashTokenSupport): Promise<void> {
  const { token, supported, symbol, decimals } = support
  await tx`
    insert into cash_tokens (chain_id, token, symbol, decimals, supported)
    values (${block.chainId}, ${token}, ${symbol}, ${decimals}, ${supported})
    on conflict (chain_id, token) do update set
      symbol = excluded.symbol, decimals = excluded.decimals, supported = excluded.supported`
}

interface CashTokenConfig {
  readonly minAmount: bigint
  readonly usdRate: number
  readonly depositPaused: boolean
  readonly withdrawPaused: boolean
  readonly withdrawBuffer: bigint
  readonly withdrawBufferCapacity: bigint
}

export async function updateCashToken(tx: Tx, block: ChainBlock, token: Hex, config: CashTokenConfig): Promise<void> {
  await tx`
    update cash_tokens set
      min_amount_raw = ${numeric(config.minAmount)}, usd_rate_e6 = ${config.usdRate}, deposit_paused = ${config.depositPaused},
      withdraw_paused = ${config.withdrawPaused}, withdraw_buffer_raw = ${numeric(config.withdrawBuffer)},
      withdraw_buffer_capacity_raw = ${numeric(config.withdrawBufferCapacity)}
    where chain_id = ${block.chainId} and token = ${token}`
}

export async function updateWithdrawBuffer(tx: Tx, block: ChainBlock, token: Hex, amountRaw: bigint): Promise<void> {
  await tx`
    update cash_tokens set withdraw_buffer_raw = ${numeric(amountRaw)}
    where chain_id = ${block.chainId} and token = ${token}`
}

interface NewStockToken {
  readonly token: Hex
  readonly tokenIndex: number
  readonly ticker: string
  readonly symbol: string
  readonly name: string
}

export async function insertStockToken(tx: Tx, block: ChainBlock, listed: NewStockToken): Promise<void> {
  const { token, tokenIndex, ticker, symbol, name } = listed
  await tx`
    insert into stock_tokens (chain_id, token, token_index, ticker, symbol, name, tradable)
    values (${block.chainId}, ${token}, ${tokenIndex}, ${ticker}, ${symbol}, ${name}, true)`
}

export async function updateStockPause(
  tx: Tx,
  block: ChainBlock,
  token: Hex,
  paused: { readonly depositPaused: boolean; readonly withdrawPaused: boolean },
): Promise<void> {
  await tx`
    update stock_tokens set deposit_paused = ${paused.depositPaused}, withdraw_paused = ${paused.withdrawPaused}
    where chain_id = ${block.chainId} and token = ${token}`
}

export async function updateStockToken(tx: Tx, block: ChainBlock, token: Hex, tradable: boolean): Promise<void> {
  await tx`update stock_tokens set tradable = ${tradable} where chain_id = ${block.chainId} and token = ${token}`
}

interface PublishedPrice {
  readonly priceId: Hex
  readonly price: bigint
  readonly feedUpdateTimestamp: bigint
  readonly publishedAt: bigint
  readonly session: number
}

export async function upsertOraclePrice(tx: Tx, block: ChainBlock, published: PublishedPrice): Promise<void> {
  const { priceId, price, feedUpdateTimestamp, publishedAt, session } = published
  await tx`
    insert into oracle_prices (chain_id, price_id, price_e8, feed_updated_at_sec, published_at_sec, session)
    values (${block.chainId}, ${priceId}, ${numeric(price)}, ${feedUpdateTimestamp}, ${publishedAt}, ${session})
    on conflict (chain_id, price_id) do update set
      price_e8 = excluded.price_e8, feed_updated_at_sec = excluded.feed_updated_at_sec,
      published_at_sec = excluded.published_at_sec, session = excluded.session`
}

export async function deleteOraclePrice(tx: Tx, block: ChainBlock, priceId: Hex): Promise<void> {
  await tx`delete from oracle_prices where chain_id = ${block.chainId} and price_id = ${priceId}`
}
