import type { Hex } from '../../chain/types.ts'

// Rows that the indexer of stocks reads and writes, by their columns (migrations 030, 056, 059, 105). What the columns mean stands there.

type ChainId = number | bigint

export type OrderRow = {
  chain_id: ChainId
  order_id: Hex
  user_address: Hex
  token: Hex
  side: 'Buy' | 'Sell'
  order_type: 'Market' | 'Limit'
  amount_wad: bigint
  limit_price_wad: bigint | null
  time_in_force: number | null
  locked_wad: bigint
  deadline_sec: number | bigint
  exit_at_sec: number | bigint
  status: string
  filled_quantity_wad: bigint
  filled_notional_wad: bigint
  third_party_fee_wad: bigint
  protocol_fee_wad: bigint
  refund_wad: bigint
  reason_code: number
  create_tx_hash: Hex
  index_in_tx: number
  nth_in_tx: number
  block_number: bigint
  created_at_sec: number | bigint
  last_settle_tx_hash: Hex | null
  closed_at_sec: number | bigint | null
  cancel_requested: boolean
  cancel_tx_hash: Hex | null
  cancel_index_in_tx: number | null
  cancel_nth_in_tx: number | null
  cancel_requested_at_sec: number | bigint | null
  deposit_operation_id: Hex | null
}

export type CashOperationRow = {
  chain_id: ChainId
  operation_id: Hex
  kind: 'deposit' | 'withdraw'
  user_address: Hex
  token: Hex
  status: 'queued' | 'settled' | 'taken_back'
  is_instant: boolean
  amount_raw: bigint | null
  amount_wad: bigint | null
  fee_wad: bigint
  exit_at_sec: number | bigint | null
  create_tx_hash: Hex
  index_in_tx: number
  nth_in_tx: number
  created_at_sec: number | bigint
  settle_tx_hash: Hex | null
  settled_at_sec: number | bigint | null
  order_id: Hex | null
}

export type StockOperationRow = {
  chain_id: ChainId
  operation_id: Hex
  kind: 'deposit' | 'withdraw'
  user_address: Hex
  token: Hex
  amount_wad: bigint
  order_id: Hex | null
  create_tx_hash: Hex
  index_in_tx: number
  nth_in_tx: number
  created_at_sec: number | bigint
  status: 'queued' | 'settled' | 'taken_back'
  exit_at_sec: number | bigint | null
  settle_tx_hash: Hex | null
  settled_at_sec: number | bigint | null
}

export type PositionRow = {
  chain_id: ChainId
  user_address: Hex
  token: Hex
  quantity_wad: bigint
  cost_e36: bigint | null
}

export type SettingsRow = {
  chain_id: ChainId
  credit_buffer_wad: bigint
  credit_buffer_capacity_wad: bigint
  instant_threshold_divisor: number
  deposit_fee_ppm: number
  withdraw_fee_ppm: number
  buy_third_party_ppm: number
  buy_protocol_ppm: number
  sell_third_party_ppm: number
  sell_protocol_ppm: number
  updated_at_sec: number | bigint
}

export type CashTokenRow = {
  chain_id: ChainId
  token: Hex
  symbol: string
  decimals: number
  supported: boolean
  min_amount_raw: bigint
  usd_rate_e6: number | bigint
  deposit_paused: boolean
  withdraw_paused: boolean
  withdraw_buffer_raw: bigint
  withdraw_buffer_capacity_raw: bigint
}

export type StockTokenRow = {
  chain_id: ChainId
  token: Hex
  token_index: number
  ticker: string
  symbol: string
  name: string
  tradable: boolean
  deposit_paused: boolean
  withdraw_paused: boolean
}

export type OraclePriceRow = {
  chain_id: ChainId
  price_id: Hex
  price_e8: bigint
  feed_updated_at_sec: bigint
  published_at_sec: bigint
  session: number
}
