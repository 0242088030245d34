import type { Rpc } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import type { Sql } from '../../db/pool.ts'
import { AppError } from '../../lib/errors.ts'
import { stockReasons } from '../reasons.ts'
import { type PendingCancel, pendingCancels } from './claim-store.ts'

/** A cancellation that is looked for: of this order, by its user alone. */
export interface CancelOf {
  readonly chainId: number
  readonly router: Hex
  readonly orderId: Hex
  readonly userAddress: Hex
}

/**
 * Refuses a further cancel while one is under way: sent by the venue, or recorded and known to the node, which a dropped
 * transaction is not. Throws `cancel_already_requested` with the first one's id and hash.
 */
export async function requireNoPendingCancel(sql: Sql, rpc: Rpc, cancel: CancelOf): Promise<void> {
  for (const pending of await pendingCancels(sql, cancel.chainId, cancel.orderId)) {
    if (pending.isSent || (await isWaiting(rpc, cancel, pending.txHash))) throw cancelUnderWay(cancel.orderId, pending)
  }
}

/** Whether the node has the transaction, from the order's own user: a stranger's cancel would revert. */
async function isWaiting(rpc: Rpc, { router, userAddress }: CancelOf, txHash: Hex | null): Promise<boolean> {
  if (txHash === null) return false
  const transaction = await rpc
    .call<{ from: Hex; to: Hex | null } | null>('eth_getTransactionByHash', [txHash])
    .catch(() => null)
  return transaction?.from.toLowerCase() === userAddress && transaction.to?.toLowerCase() === router
}

/** Refuses a cancel and leads to the one that is under way. */
export function cancelUnderWay(orderId: Hex, { claimId, txHash }: PendingCancel): AppError {
  const where = txHash === null ? `its id is ${claimId}` : `GET /api/v1/orders/tx/${txHash} shows it`
  const message = `a cancel of order ${orderId} is under way: ${where}`
  return new AppError(stockReasons.cancel_already_requested, message, { detail: { id: claimId, txHash } })
}
