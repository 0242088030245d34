import type { Hex } from '../chain/types.ts'
import type { Db } from '../db/pool.ts'

// Reads of the role api over the tables that the indexer writes.

export interface OrderRow {
  readonly orderId: Hex
  readonly userAddress: Hex
  readonly token: Hex
  readonly ticker: string
  readonly side: 'Buy' | 'Sell'
  readonly orderType: 'Market' | 'Limit'
  /** Notional of a market buy, else quantity. */
  readonly amountWad: bigint
  /** USD per token; null for a market order. */
  readonly limitPriceWad: bigint | null
  /** As the contract has it, 0 is DAY; null for a market order. */
  readonly timeInForce: number | null
  readonly deadlineSec: bigint
  readonly status: 'open' | 'filled' | 'partially_filled' | 'rejected' | 'taken_back' | 'canceled' | 'expired'
  /** The user has asked for the cancellation, in this transaction. */
  readonly cancelRequested: boolean
  readonly cancelTxHash: Hex | null
  /** The cash (buy) or stock (sell) deposit of the same step. */
  readonly depositOperationId: Hex | null
  readonly filledQuantityWad: bigint
  readonly filledNotionalWad: bigint
  readonly thirdPartyFeeWad: bigint
  readonly protocolFeeWad: bigint
  readonly refundWad: bigint
  readonly reasonCode: number
  readonly createTxHash: Hex
  readonly createdAtSec: bigint
  readonly lastSettleTxHash: Hex | null
  readonly closedAtSec: bigint | null
}

/** The named orders; unknown ids are left out. */
export async function findOrders(db: Db, chainId: number, orderIds: readonly Hex[]): Promise<OrderRow[]> {
  return await db<OrderRow[]>`
    select o.order_id as "orderId", o.user_address as "userAddress", o.token, t.ticker, o.side,
      o.order_type as "orderType", o.amount_wad as "amountWad", o.limit_price_wad as "limitPriceWad",
      o.time_in_force as "timeInForce", o.deadline_sec as "deadlineSec", o.status,
      o.cancel_requested as "cancelRequested", o.cancel_tx_hash as "cancelTxHash",
      o.deposit_operation_id as "depositOperationId",
      o.filled_quantity_wad as "filledQuantityWad", o.filled_notional_wad as "filledNotionalWad",
      o.third_party_fee_wad as "thirdPartyFeeWad", o.protocol_fee_wad as "protocolFeeWad",
      o.refund_wad as "refundWad", o.reason_code as "reasonCode", o.create_tx_hash as "createTxHash",
      o.created_at_sec as "createdAtSec", o.last_settle_tx_hash as "lastSettleTxHash",
      o.closed_at_sec as "closedAtSec"
    from stock_orders o join stock_tokens t on t.chain_id = o.chain_id and t.token = o.token
    where o.chain_id = ${chainId} and o.order_id = any(${orderIds as string[]})`
}

/** A part of an order that was executed and settled. */
export interface FillRow {
  readonly quantityWad: bigint
  readonly priceWad: bigint
  readonly notionalWad: bigint
  readonly thirdPartyFeeWad: bigint
  readonly protocolFeeWad: bigint
  readonly txHash: Hex
  readonly settledAtSec: bigint
}

/** The fills of an order, in the order of their blocks. */
export async function listFills(db: Db, chainId: number, orderId: Hex): Promise<FillRow[]> {
  return await db<FillRow[]>`
    select f.quantity_wad as "quantityWad", f.price_wad as "priceWad", f.notional_wad as "notionalWad",
      f.third_party_fee_wad as "thirdPartyFeeWad", f.protocol_fee_wad as "protocolFeeWad", f.tx_hash as "txHash",
      f.settled_at_sec as "settledAtSec"
    from stock_fills f join stock_transactions t on t.chain_id = f.chain_id and t.tx_hash = f.tx_hash
    where f.chain_id = ${chainId} and f.order_id = ${orderId}
    order by t.block_number, f.tx_hash, f.index_in_tx`
}

export interface CashOperationRow {
  readonly operationId: Hex
  readonly kind: 'deposit' | 'withdraw'
  readonly userAddress: Hex
  readonly token: Hex
  readonly tokenDecimals: number
  readonly status: 'queued' | 'settled' | 'taken_back'
  readonly isInstant: boolean
  readonly amountRaw: bigint | null
  readonly amountWad: bigint | null
  readonly feeWad: bigint
  /** The order that was placed in the same step. */
  readonly orderId: Hex | null
  readonly createTxHash: Hex
  readonly createdAtSec: bigint
  readonly settleTxHash: Hex | null
  readonly settledAtSec: bigint | null
}

/** The named cash operations; unknown ids are left out. */
export async function findCashOperations(db: Db, chainId: number, ids: readonly Hex[]): Promise<CashOperationRow[]> {
  return await db<CashOperationRow[]>`
    select o.operation_id as "operationId", o.kind, o.user_address as "userAddress", o.token,
      t.decimals as "tokenDecimals", o.status, o.is_instant as "isInstant", o.amount_raw as "amountRaw",
      o.amount_wad as "amountWad", o.fee_wad as "feeWad", o.order_id as "orderId", o.create_tx_hash as "createTxHash",
      o.created_at_sec as "createdAtSec", o.settle_tx_hash as "settleTxHash", o.settled_at_sec as "settledAtSec"
    from cash_operations o join cash_tokens t on t.chain_id = o.chain_id and t.token = o.token
    where o.chain_id = ${chainId} and o.operation_id = any(${ids as string[]})`
}

export interface StockTokenRow {
  readonly token: Hex
  readonly ticker: string
  readonly symbol: string
  readonly name: string
  readonly tradable: boolean
  /** Moves of the token from and to wallets. */
  readonly depositPaused: boolean
  readonly withdrawPaused: boolean
}

/** Every listed stock token, in the order of listing. */
export async function listStockTokens(db: Db, chainId: number): Promise<StockTokenRow[]> {
  return await db<StockTokenRow[]>`
    select token, ticker, symbol, name, tradable, deposit_paused as "depositPaused", withdraw_paused as "withdrawPaused"
    from stock_tokens where chain_id = ${chainId} order by token_index`
}

export interface CashTokenRow {
  readonly token: Hex
  readonly symbol: string
  readonly decimals: number
  readonly minAmountRaw: bigint
  readonly usdRateE6: bigint
  readonly depositPaused: boolean
  readonly withdrawPaused: boolean
  readonly withdrawBufferRaw: bigint
  readonly withdrawBufferCapacityRaw: bigint
}

/** Every supported cash token. */
export async function listCashTokens(db: Db, chainId: number): Promise<CashTokenRow[]> {
  return await db<CashTokenRow[]>`
    select token, symbol, decimals, min_amount_raw as "minAmountRaw", usd_rate_e6 as "usdRateE6",
      deposit_paused as "depositPaused", withdraw_paused as "withdrawPaused",
      withdraw_buffer_raw as "withdrawBufferRaw", withdraw_buffer_capacity_raw as "withdrawBufferCapacityRaw"
    from cash_tokens where chain_id = ${chainId} and supported order by symbol, token`
}

export interface SettingsRow {
  readonly creditBufferWad: bigint
  readonly creditBufferCapacityWad: bigint
  readonly instantThresholdDivisor: number
  readonly depositFeePpm: number
  readonly withdrawFeePpm: number
  readonly buyThirdPartyPpm: number
  readonly buyProtocolPpm: number
  readonly sellThirdPartyPpm: number
  readonly sellProtocolPpm: number
  readonly updatedAtSec: bigint
}

/** The settings of Cashier and Stock; null before their first event is indexed. */
export async function getSettings(db: Db, chainId: number): Promise<SettingsRow | null> {
  const rows = await db<SettingsRow[]>`
    select credit_buffer_wad as "creditBufferWad", credit_buffer_capacity_wad as "creditBufferCapacityWad",
      instant_threshold_divisor as "instantThresholdDivisor", deposit_fee_ppm as "depositFeePpm",
      withdraw_fee_ppm as "withdrawFeePpm", buy_third_party_ppm as "buyThirdPartyPpm",
      buy_protocol_ppm as "buyProtocolPpm", sell_third_party_ppm as "sellThirdPartyPpm",
      sell_protocol_ppm as "sellProtocolPpm", updated_at_sec as "updatedAtSec"
    from stock_settings where chain_id = ${chainId}`
  return rows[0] ?? null
}
