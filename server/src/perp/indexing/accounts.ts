import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { Hex } from '../../chain/types.ts'
import type { Position } from '../maths/position.ts'
import type { BlockChanges } from './block-changes.ts'

// What accounts hold in pairs, and what of theirs waits at Gate.

/** An account in a pair. */
export interface PairAccount {
  readonly instrument: Hex
  readonly expiry: number
  readonly trader: Hex
}

const FLAT: Position = { balance: 0n, size: 0n, entryNotional: 0n, entrySocialLossIndex: 0n, entryFundingIndex: 0n }

/** An account's position as the events so far have left it. */
export function positionOf({ block, positions }: BlockChanges, account: PairAccount): Position {
  const { instrument, expiry, trader } = account
  const row = positions.get({ chain_id: block.chainId, instrument, expiry, trader })
  if (!row) return FLAT
  return {
    balance: row.balance_wad,
    size: row.size_wad,
    entryNotional: row.entry_notional_wad,
    entrySocialLossIndex: row.entry_social_loss_index,
    entryFundingIndex: row.entry_funding_index,
  }
}

export function setPosition(
  { block, positions }: BlockChanges,
  event: ChainEvent,
  { instrument, expiry, trader }: PairAccount,
  state: Position,
): void {
  positions.put({
    chain_id: block.chainId,
    instrument,
    expiry,
    trader,
    balance_wad: state.balance,
    size_wad: state.size,
    entry_notional_wad: state.entryNotional,
    entry_social_loss_index: state.entrySocialLossIndex,
    entry_funding_index: state.entryFundingIndex,
    update_tx_hash: event.transactionHash,
    updated_at_sec: block.timestampSec,
  })
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

const rangeKey = ({ block }: BlockChanges, { instrument, expiry, trader, tickLower, tickUpper }: RangePlace) => ({
  chain_id: block.chainId,
  instrument,
  expiry,
  trader,
  tick_lower: tickLower,
  tick_upper: tickUpper,
})

export function addRange(changes: BlockChanges, event: ChainEvent, place: RangePlace, state: RangeState): void {
  changes.ranges.add({
    ...rangeKey(changes, place),
    liquidity: state.liquidity,
    entry_fee_index: state.entryFeeIndex,
    balance_wad: state.balance,
    sqrt_entry_px96: state.sqrtEntryPX96,
    update_tx_hash: event.transactionHash,
    updated_at_sec: changes.block.timestampSec,
  })
}

/** Throws when the range was not added. */
export function removeRange(changes: BlockChanges, place: RangePlace): void {
  const key = rangeKey(changes, place)
  if (!changes.ranges.get(key)) {
    throw new Error(`no range ${place.tickLower} to ${place.tickUpper} of ${place.trader} in ${place.instrument}`)
  }
  changes.ranges.delete(key)
}

/** The sum that waits from now on; returns by how much it grew, negative where it was released. */
export function setPending(
  { block, pending }: BlockChanges,
  { token, trader, amountRaw, sinceSec }: { token: Hex; trader: Hex; amountRaw: bigint; sinceSec: number },
): bigint {
  const key = { chain_id: block.chainId, token, trader }
  const beforeRaw = pending.get(key)?.amount_raw ?? 0n
  pending.put({ ...key, amount_raw: amountRaw, since_sec: sinceSec })
  return amountRaw - beforeRaw
}
