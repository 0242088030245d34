import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { ChainBlock, Hex } from '../../chain/types.ts'
import { insertRows } from '../../db/named-rows.ts'
import type { Tx } from '../../db/pool.ts'
import { abs } from '../../lib/bigints.ts'
import { WAD } from '../../lib/wad.ts'
import { numbered, OF_PAIR, OF_TRADER } from './nth.ts'

export const EXECUTION_KINDS = ['market', 'fill', 'range', 'liquidation', 'take_over', 'settlement'] as const
export type ExecutionKind = (typeof EXECUTION_KINDS)[number]

/** What changed a trader's size, and at what price; amounts WAD (migrations 130, 242 and 280). */
export interface NewExecution {
  readonly kind: ExecutionKind
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

export type ExecutionRow = ReturnType<typeof executionRow>

export const executionRow = (block: ChainBlock, event: ChainEvent, execution: NewExecution) => ({
  chain_id: block.chainId,
  tx_hash: event.transactionHash,
  index_in_tx: event.indexInTransaction,
  kind: execution.kind,
  event: event.name,
  instrument: execution.instrument,
  expiry: execution.expiry,
  trader: execution.trader,
  size_wad: execution.sizeWad,
  notional_wad: execution.notionalWad,
  price_wad: (execution.notionalWad * WAD) / abs(execution.sizeWad),
  taken_size_wad: execution.takenSizeWad ?? 0n,
  taken_notional_wad: execution.takenNotionalWad ?? 0n,
  trade_fee_wad: execution.tradeFeeWad ?? 0n,
  protocol_fee_wad: execution.protocolFeeWad ?? 0n,
  mark_wad: execution.markWad ?? null,
  sqrt_px96: execution.sqrtPX96 ?? null,
  block_number: block.number,
  log_index: event.logIndex,
  at_sec: block.timestampSec,
})

export async function insertExecutions(tx: Tx, rows: readonly ExecutionRow[]): Promise<void> {
  const lists = { nth: OF_TRADER, nth_of_pair: OF_PAIR }
  await insertRows(tx, 'perp_executions', await numbered(tx, 'perp_executions', rows, lists))
}
