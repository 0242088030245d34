import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { ChainBlock, Hex } from '../../chain/types.ts'
import { numeric, type Tx } from '../../db/pool.ts'
import { abs } from '../../lib/bigints.ts'
import { WAD } from '../../lib/wad.ts'
import { nextNth } from './nth.ts'

/** What changed a trader's size, and at what price; amounts WAD (migration 130). */
export interface NewExecution {
  readonly kind: 'market' | 'fill' | 'range' | 'liquidation' | 'take_over'
  readonly instrument: Hex
  readonly expiry: number
  readonly trader: Hex
  /** Positive buys. */
  readonly sizeWad: bigint
  readonly notionalWad: bigint
  readonly takenSizeWad?: bigint
  readonly takenNotionalWad?: bigint
  /** Negative where the trader receives it. */
  readonly tradeFeeWad?: bigint
  readonly protocolFeeWad?: bigint
  readonly markWad?: bigint
  readonly sqrtPX96?: bigint
}

/** Does nothing for a size of 0: nothing was executed. */
export async function insertExecution(
  tx: Tx,
  block: ChainBlock,
  event: ChainEvent,
  execution: NewExecution,
): Promise<void> {
  const { instrument, trader, sizeWad, notionalWad } = execution
  if (sizeWad === 0n) return
  const list = tx`chain_id = ${block.chainId} and trader = ${trader}`
  const narrowed = tx`chain_id = ${block.chainId} and trader = ${trader} and instrument = ${instrument} and expiry = ${execution.expiry}`
  const priceWad = (notionalWad * WAD) / abs(sizeWad)
  await tx`
    insert into perp_executions
      (chain_id, tx_hash, index_in_tx, kind, event, instrument, expiry, trader, size_wad, notional_wad, price_wad,
       taken_size_wad, taken_notional_wad, trade_fee_wad, protocol_fee_wad, mark_wad, sqrt_px96, block_number, at_sec,
       nth, nth_of_pair)
    values
      (${block.chainId}, ${event.transactionHash}, ${event.indexInTransaction}, ${execution.kind}, ${event.name},
       ${instrument}, ${execution.expiry}, ${trader}, ${numeric(sizeWad)}, ${numeric(notionalWad)}, ${numeric(priceWad)},
       ${numeric(execution.takenSizeWad ?? 0n)}, ${numeric(execution.takenNotionalWad ?? 0n)},
       ${numeric(execution.tradeFeeWad ?? 0n)}, ${numeric(execution.protocolFeeWad ?? 0n)},
       ${numeric(execution.markWad)}, ${numeric(execution.sqrtPX96)}, ${block.number}, ${block.timestampSec},
       ${nextNth(tx, 'perp_executions', 'nth', list)}, ${nextNth(tx, 'perp_executions', 'nth_of_pair', narrowed)})`
}
