import type { Hex } from '../../chain/types.ts'

// Rows that the indexer of perpetuals reads and changes, by their columns (migrations 130 and 131). What the columns mean stands there.

type Integer = number | bigint

export type InstrumentRow = {
  chain_id: Integer
  instrument: Hex
  symbol: string | null
  base: Hex | null
  quote: Hex | null
  ordinal: number | null
  created_at_sec: Integer | null
  condition: number
  min_margin_wad: bigint
  trading_fee_bps: number
  protocol_fee_bps: number
  quote_type: number
  tip_wad: bigint
  initial_margin_bps: number | null
  maintenance_margin_bps: number | null
  funding_hour: number | null
}

export type PairRow = {
  chain_id: Integer
  instrument: Hex
  expiry: Integer
  status: number
  sqrt_px96: bigint
  mark_wad: bigint
  fee_index: bigint
  protocol_fee_wad: bigint
  long_social_loss_index: bigint
  short_social_loss_index: bigint
  long_funding_index: bigint
  short_funding_index: bigint
  insurance_fund_wad: bigint
  updated_at_sec: Integer
}

export type PositionRow = {
  chain_id: Integer
  instrument: Hex
  expiry: Integer
  trader: Hex
  balance_wad: bigint
  size_wad: bigint
  entry_notional_wad: bigint
  entry_social_loss_index: bigint
  entry_funding_index: bigint
  update_tx_hash: Hex
  updated_at_sec: Integer
}

export type RangeRow = {
  chain_id: Integer
  instrument: Hex
  expiry: Integer
  trader: Hex
  tick_lower: number
  tick_upper: number
  liquidity: bigint
  entry_fee_index: bigint
  balance_wad: bigint
  sqrt_entry_px96: bigint
  update_tx_hash: Hex
  updated_at_sec: Integer
}

export type PendingRow = {
  chain_id: Integer
  token: Hex
  trader: Hex
  amount_raw: bigint
  since_sec: Integer
}

export type OrderRow = {
  chain_id: Integer
  place_tx_hash: Hex
  place_index_in_tx: number
  order_id: bigint
  instrument: Hex
  expiry: Integer
  trader: Hex
  tick: number
  nonce: number
  oid: bigint
  size_wad: bigint
  balance_wad: bigint
  price_wad: bigint
  block_number: bigint
  log_index: number | null
  placed_at_sec: Integer
  status: 'open' | 'filled' | 'cancelled' | 'partial_filled'
  filled_size_wad: bigint
  filled_notional_wad: bigint
  filled_balance_wad: bigint
  rebate_wad: bigint
  tip_wad: bigint
  close_event: string | null
  close_tx_hash: Hex | null
  closed_at_sec: Integer | null
  nth: bigint | null
  nth_of_pair: bigint | null
}
