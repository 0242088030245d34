import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { ChainBlock, Hex } from '../../chain/types.ts'
import { numeric, type Tx } from '../../db/pool.ts'
import { nextNth } from './nth.ts'

// Positions, ranges and what happened to ranges (migration 131).

/** An account in a pair. */
export interface PairAccount {
  readonly instrument: Hex
  readonly expiry: number
  readonly trader: Hex
}

/** `PositionCache` of the contracts, WAD. */
export interface PositionState {
  readonly balance: bigint
  readonly size: bigint
  readonly entryNotional: bigint
  readonly entrySocialLossIndex: bigint
  readonly entryFundingIndex: bigint
}

export async function upsertPosition(
  tx: Tx,
  block: ChainBlock,
  event: ChainEvent,
  { instrument, expiry, trader }: PairAccount,
  state: PositionState,
): Promise<void> {
  await tx`
    insert into perp_positions
      (chain_id, instrument, expiry, trader, balance_wad, size_wad, entry_notional_wad, entry_social_loss_index,
       entry_funding_index, update_tx_hash, updated_at_sec)
    values
      (${block.chainId}, ${instrument}, ${expiry}, ${trader}, ${numeric(state.balance)}, ${numeric(state.size)},
       ${numeric(state.entryNotional)}, ${numeric(state.entrySocialLossIndex)}, ${numeric(state.entryFundingIndex)},
       ${event.transactionHash}, ${block.timestampSec})
    on conflict (chain_id, instrument, expiry, trader) do update set
      balance_wad = excluded.balance_wad, size_wad = excluded.size_wad, entry_notional_wad = excluded.entry_notional_wad,
      entry_social_loss_index = excluded.entry_social_loss_index, entry_funding_index = excluded.entry_funding_index,
      update_tx_hash = excluded.update_tx_hash, updated_at_sec = excluded.updated_at_sec`
}

export interface RangePlace extends PairAccount {
  readonly tickLower: number
  readonly tickUpper: number
}

/** `Range` of the contracts. */
export interface RangeState {
  readonly liquidity: bigint
  readonly entryFeeIndex: bigint
  readonly balance: bigint
  readonly sqrtEntryPX96: bigint
}

export async function insertRange(
  tx: Tx,
  block: ChainBlock,
  event: ChainEvent,
  place: RangePlace,
  state: RangeState,
): Promise<void> {
  await tx`
    insert into perp_ranges
      (chain_id, instrument, expiry, trader, tick_lower, tick_upper, liquidity, entry_fee_index, balance_wad,
       sqrt_entry_px96, update_tx_hash, updated_at_sec)
    values
      (${block.chainId}, ${place.instrument}, ${place.expiry}, ${place.trader}, ${place.tickLower}, ${place.tickUpper},
       ${numeric(state.liquidity)}, ${numeric(state.entryFeeIndex)}, ${numeric(state.balance)},
       ${numeric(state.sqrtEntryPX96)}, ${event.transactionHash}, ${block.timestampSec})`
}

/** Throws when the range was not added. */
export async function deleteRange(tx: Tx, block: ChainBlock, place: RangePlace): Promise<void> {
  const { instrument, expiry, trader, tickLower, tickUpper } = place
  const deleted = await tx`
    delete from perp_ranges
    where chain_id = ${block.chainId} and instrument = ${instrument} and expiry = ${expiry} and trader = ${trader}
      and tick_lower = ${tickLower} and tick_upper = ${tickUpper}`
  if (deleted.count !== 1) throw new Error(`no range ${tickLower} to ${tickUpper} of ${trader} in ${instrument}`)
}

export interface LiquidityEvent extends RangePlace {
  readonly kind: 'add' | 'remove'
  readonly amountWad: bigint
  readonly feeWad: bigint
  readonly tipWad: bigint
  readonly fairPriceWad: bigint
}

export async function insertLiquidityEvent(
  tx: Tx,
  block: ChainBlock,
  event: ChainEvent,
  made: LiquidityEvent,
): Promise<void> {
  const { chainId } = block
  const { instrument, trader } = made
  const list = tx`chain_id = ${chainId} and trader = ${trader}`
  const narrowed = tx`chain_id = ${chainId} and trader = ${trader} and instrument = ${instrument} and expiry = ${made.expiry}`
  await tx`
    insert into perp_liquidity_events
      (chain_id, tx_hash, index_in_tx, kind, instrument, expiry, trader, tick_lower, tick_upper, amount_wad, fee_wad,
       tip_wad, fair_price_wad, block_number, at_sec, nth, nth_of_pair)
    values
      (${chainId}, ${event.transactionHash}, ${event.indexInTransaction}, ${made.kind}, ${instrument}, ${made.expiry},
       ${trader}, ${made.tickLower}, ${made.tickUpper}, ${numeric(made.amountWad)}, ${numeric(made.feeWad)},
       ${numeric(made.tipWad)}, ${numeric(made.fairPriceWad)}, ${block.number}, ${block.timestampSec},
       ${nextNth(tx, 'perp_liquidity_events', 'nth', list)},
       ${nextNth(tx, 'perp_liquidity_events', 'nth_of_pair', narrowed)})`
}
