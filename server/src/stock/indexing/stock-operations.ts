import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { Hex } from '../../chain/types.ts'
import type { StockChanges } from './stock-changes.ts'
import { stockOperationId } from './stock-operation-id.ts'

// Moves of stock between wallet and exchange.

export interface NewStockOperation {
  readonly kind: 'deposit' | 'withdraw'
  readonly userAddress: Hex
  readonly token: Hex
  readonly amountWad: bigint
  /** A waiting withdrawal: its id on chain, and when the user can claim it alone (Unix seconds). */
  readonly queued?: { readonly operationId: Hex; readonly exitAtSec: number }
}

export function addStockOperation(
  changes: StockChanges,
  event: ChainEvent,
  { kind, userAddress, token, amountWad, queued }: NewStockOperation,
): void {
  const { block } = changes
  const { transactionHash } = event
  changes.addStockOperation({
    chain_id: block.chainId,
    operation_id: queued?.operationId ?? stockOperationId({ ...event, chainId: block.chainId }),
    kind,
    user_address: userAddress,
    token,
    amount_wad: amountWad,
    order_id: null,
    create_tx_hash: transactionHash,
    index_in_tx: event.indexInTransaction,
    nth_in_tx: changes.madeBefore(transactionHash, `stock ${kind}`),
    created_at_sec: block.timestampSec,
    status: queued ? 'queued' : 'settled',
    exit_at_sec: queued?.exitAtSec ?? null,
    settle_tx_hash: null,
    settled_at_sec: null,
  })
}

/** Ends a withdrawal that waited. */
export function finishStockWithdrawal(
  { block, stockOperations }: StockChanges,
  event: ChainEvent,
  operationId: Hex,
  status: 'settled' | 'taken_back',
): void {
  const end = { status, settle_tx_hash: event.transactionHash, settled_at_sec: block.timestampSec }
  stockOperations.change({ chain_id: block.chainId, operation_id: operationId }, end)
}
