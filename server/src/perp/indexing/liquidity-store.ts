import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { ChainBlock } from '../../chain/types.ts'
import { insertRows } from '../../db/named-rows.ts'
import type { Tx } from '../../db/pool.ts'
import type { RangePlace } from './accounts.ts'
import { numbered, OF_PAIR, OF_TRADER } from './nth.ts'

/** Liquidity that came or went; amounts WAD (migration 131). */
export interface LiquidityEvent extends RangePlace {
  readonly kind: 'add' | 'remove'
  readonly amountWad: bigint
  readonly feeWad: bigint
  readonly tipWad: bigint
  readonly fairPriceWad: bigint
}

export type LiquidityRow = ReturnType<typeof liquidityRow>

export const liquidityRow = (block: ChainBlock, event: ChainEvent, made: LiquidityEvent) => ({
  chain_id: block.chainId,
  tx_hash: event.transactionHash,
  index_in_tx: event.indexInTransaction,
  kind: made.kind,
  instrument: made.instrument,
  expiry: made.expiry,
  trader: made.trader,
  tick_lower: made.tickLower,
  tick_upper: made.tickUpper,
  amount_wad: made.amountWad,
  fee_wad: made.feeWad,
  tip_wad: made.tipWad,
  fair_price_wad: made.fairPriceWad,
  block_number: block.number,
  at_sec: block.timestampSec,
})

export async function insertLiquidityEvents(tx: Tx, rows: readonly LiquidityRow[]): Promise<void> {
  const lists = { nth: OF_TRADER, nth_of_pair: OF_PAIR }
  await insertRows(tx, 'perp_liquidity_events', await numbered(tx, 'perp_liquidity_events', rows, lists))
}
