import type { ChainEvent } from '../../chain/follow/event-module.ts'
import type { ChainBlock, Hex } from '../../chain/types.ts'
import { type Db, numeric, type Tx } from '../../db/pool.ts'
import { stockOperationId } from './stock-operation-id.ts'

// Moves of stock between wallet and exchange, and what links a deposit to the order of the same step. The writes are the
// indexer's, called by events.ts alone.

export interface NewStockOperation {
  readonly kind: 'deposit' | 'withdraw'
  readonly userAddress: Hex
  readonly token: Hex
  readonly amountWad: bigint
  /** Of a withdrawal that waits: its id on chain, and when the user can claim it alone (Unix seconds). */
  readonly queued?: { readonly operationId: Hex; readonly exitAtSec: number }
}

export async function insertStockOperation(
  tx: Tx,
  block: ChainBlock,
  event: ChainEvent,
  operation: NewStockOperation,
): Promise<void> {
  await tx`
    insert into stock_operations
      (chain_id, operation_id, kind, user_address, token, amount_wad, create_tx_hash, index_in_tx, nth_in_tx, created_at_sec,
       status, exit_at_sec)
    values
      (${block.chainId}, ${operation.queued?.operationId ?? stockOperationId({ ...event, chainId: block.chainId })},
       ${operation.kind},
       ${operation.userAddress}, ${operation.token}, ${numeric(operation.amountWad)}, ${event.transactionHash},
       ${event.indexInTransaction},
       (select count(*) from stock_operations where chain_id = ${block.chainId}
         and create_tx_hash = ${event.transactionHash} and kind = ${operation.kind}),
       ${block.timestampSec}, ${operation.queued ? 'queued' : 'settled'}, ${operation.queued?.exitAtSec ?? null})`
}

/** Ends a withdrawal that waited. */
export async function finishStockWithdrawal(
  tx: Tx,
  block: ChainBlock,
  event: ChainEvent,
  operationId: Hex,
  status: 'settled' | 'taken_back',
): Promise<void> {
  await tx`
    update stock_operations set status = ${status}, settle_tx_hash = ${event.transactionHash},
      settled_at_sec = ${block.timestampSec}
    where chain_id = ${block.chainId} and operation_id = ${operationId}`
}

/** Withdrawals that wait and whose token lets stock go out (again), oldest first. */
export async function queuedStockWithdrawals(db: Db, chainId: number): Promise<Hex[]> {
  const rows = await db<{ operationId: Hex }[]>`
    select o.operation_id as "operationId"
    from stock_operations o join stock_tokens t on t.chain_id = o.chain_id and t.token = o.token
    where o.chain_id = ${chainId} and o.status = 'queued' and not t.withdraw_paused
    order by o.created_at_sec, o.operation_id`
  return rows.map(({ operationId }) => operationId)
}

/** Links an order to the cash deposit of the same step, whose id the router's event names. */
export async function linkCashDeposit(tx: Tx, block: ChainBlock, orderId: Hex, operationId: Hex): Promise<void> {
  await tx`
    update stock_orders set deposit_operation_id = ${operationId}
    where chain_id = ${block.chainId} and order_id = ${orderId}`
  await tx`
    update cash_operations set order_id = ${orderId}
    where chain_id = ${block.chainId} and operation_id = ${operationId}`
}

/**
 * Links an order to the stock deposit of the same step: the user's last one of that token that the transaction has made so
 * far, for the router deposits, places, and tells so at once.
 */
export async function linkStockDeposit(tx: Tx, block: ChainBlock, orderId: Hex): Promise<void> {
  const [deposit] = await tx<{ operationId: Hex }[]>`
    select d.operation_id as "operationId"
    from stock_orders o join stock_operations d
      on d.chain_id = o.chain_id and d.create_tx_hash = o.create_tx_hash and d.kind = 'deposit'
      and d.user_address = o.user_address and d.token = o.token
    where o.chain_id = ${block.chainId} and o.order_id = ${orderId}
    order by d.index_in_tx desc limit 1`
  if (!deposit) return
  await tx`
    update stock_orders set deposit_operation_id = ${deposit.operationId}
    where chain_id = ${block.chainId} and order_id = ${orderId}`
  await tx`
    update stock_operations set order_id = ${orderId}
    where chain_id = ${block.chainId} and operation_id = ${deposit.operationId}`
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
