import type { CashOperation, StockOperation } from '@bourse/sdk/stock'
import type { words } from './strings.ts'
import { CASH_UNIT } from './tokens.ts'

/** A move of cash or stock as the list shows it. */
export interface Row {
  readonly id: string
  readonly kind: string
  readonly time: number
  readonly amount: string | null
  /** What the amount counts where that is not the token: dollars of the venue, until a withdrawal of cash is paid. */
  readonly unit: string | null
  readonly token: string | null
  readonly status: keyof typeof words.operationStatus
  readonly reason: string | null
  readonly hashes: readonly (string | null)[]
}

export function rowOf(kind: string, one: CashOperation | StockOperation): Row {
  const operation = one.depositOperation ?? one.withdrawalOperation
  const dollars = operation && 'mUsdAmount' in operation ? operation.mUsdAmount : null
  const paid = operation?.amount ?? null
  return {
    id: one.mapping?.id ?? one.operationId ?? one.txHash ?? '',
    kind,
    time: operation?.createdAt ?? one.mapping?.createdAt ?? 0,
    amount: paid ?? dollars,
    unit: paid === null && dollars !== null ? CASH_UNIT : null,
    token: operation?.tokenAddress ?? null,
    status: statusOf(one),
    reason: one.mapping?.statusReason ?? null,
    hashes: [
      operation?.createTxHash ?? one.txHash,
      operation && 'settleTxHash' in operation ? operation.settleTxHash : null,
    ],
  }
}

/** Queued is no failure, and neither is a transaction that the venue has not read yet. */
function statusOf({
  operationStatus,
  mappingStatus,
  operationId,
}: Pick<CashOperation, 'operationStatus' | 'mappingStatus' | 'operationId'>): Row['status'] {
  if (operationStatus === 'success') return 'success'
  if (mappingStatus === 'failed') return 'txFailed'
  if (operationStatus === 'failed') return operationId === null ? 'txFailed' : 'failed'
  if (operationId !== null) return 'queued'
  return mappingStatus === 'expired' ? 'expired' : 'onChain'
}
