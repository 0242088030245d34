import type { Hex } from '../../chain/types.ts'
import type { Db } from '../../db/pool.ts'

/** Withdrawals that wait and whose token lets stock go out (again), oldest first. */
export async function queuedStockWithdrawals(db: Db, chainId: number): Promise<Hex[]> {
  const rows = await db<{ operationId: Hex }[]>`
    select o.operation_id as "operationId"
    from stock_operations o join stock_tokens t on t.chain_id = o.chain_id and t.token = o.token
    where o.chain_id = ${chainId} and o.status = 'queued' and not t.withdraw_paused
    order by o.created_at_sec, o.operation_id`
  return rows.map(({ operationId }) => operationId)
}

export interface StockOperationRow {
  readonly operationId: Hex
  readonly kind: 'deposit' | 'withdraw'
  readonly userAddress: Hex
  readonly token: Hex
  readonly ticker: string
  readonly amountWad: bigint
  readonly status: 'queued' | 'settled' | 'taken_back'
  /** When the user can claim a queued withdrawal alone, Unix seconds. */
  readonly exitAtSec: bigint | null
  /** The order that was placed in the same step. */
  readonly orderId: Hex | null
  readonly createTxHash: Hex
  readonly createdAtSec: bigint
}

/** The named stock operations; unknown ids are left out. */
export async function findStockOperations(db: Db, chainId: number, ids: readonly Hex[]): Promise<StockOperationRow[]> {
  return await db<StockOperationRow[]>`
    select o.operation_id as "operationId", o.kind, o.user_address as "userAddress", o.token, t.ticker,
      o.amount_wad as "amountWad", o.status, o.exit_at_sec as "exitAtSec", o.order_id as "orderId", o.create_tx_hash as "createTxHash",
      o.created_at_sec as "createdAtSec"
    from stock_operations o join stock_tokens t on t.chain_id = o.chain_id and t.token = o.token
    where o.chain_id = ${chainId} and o.operation_id = any(${ids as string[]})`
}
