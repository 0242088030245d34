import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { Hex } from '../../chain/types.ts'
import type { StockChanges } from './stock-changes.ts'

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

export function addCashOperation(changes: StockChanges, event: ChainEvent, operation: NewCashOperation): void {
  const { block, cashOperations } = changes
  const { isInstant, kind } = operation
  const { transactionHash } = event
  cashOperations.add({
    chain_id: block.chainId,
    operation_id: operation.operationId,
    kind,
    user_address: operation.userAddress,
    token: operation.token,
    status: isInstant ? 'settled' : 'queued',
    is_instant: isInstant,
    amount_raw: operation.amountRaw,
    amount_wad: operation.amountWad,
    fee_wad: operation.feeWad,
    exit_at_sec: operation.exitAtSec,
    create_tx_hash: transactionHash,
    index_in_tx: event.indexInTransaction,
    nth_in_tx: changes.madeBefore(transactionHash, `cash ${kind}`),
    created_at_sec: block.timestampSec,
    settle_tx_hash: isInstant ? transactionHash : null,
    settled_at_sec: isInstant ? block.timestampSec : null,
    order_id: null,
  })
}

export interface CashOperationEnd {
  readonly operationId: Hex
  readonly status: 'settled' | 'taken_back'
  readonly amountRaw: bigint | null
  readonly amountWad: bigint | null
  readonly feeWad: bigint
}

export function finishCashOperation(
  { block, cashOperations }: StockChanges,
  event: ChainEvent,
  end: CashOperationEnd,
): void {
  cashOperations.change(
    { chain_id: block.chainId, operation_id: end.operationId },
    {
      status: end.status,
      amount_raw: end.amountRaw,
      amount_wad: end.amountWad,
      fee_wad: end.feeWad,
      settle_tx_hash: event.transactionHash,
      settled_at_sec: block.timestampSec,
    },
  )
}
