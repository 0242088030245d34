import type { Db, Tx } from '../db/pool.ts'
import type { Execution } from './ports.ts'

// Executions in the broker's books that the venue has no order for. The broker gives each out once, and a database that was put back
// to an earlier state may read one before it has its order again: what is not kept here would be lost for good.

/**
 * Keeps those of the executions that are recorded for no order of the venue: the order is unknown, or is one of another symbol or
 * side. Resolves to the ids of those that were not kept before.
 */
export async function keepUnclaimed(
  tx: Tx,
  chainId: number,
  executions: readonly Execution[],
): Promise<ReadonlySet<string>> {
  const column = (read: (execution: Execution) => bigint | string) => executions.map((one) => read(one).toString())
  const rows = await tx<{ executionId: string }[]>`
    insert into unclaimed_executions (chain_id, execution_id, client_order_id, symbol, side, quantity_wad, price8, executed_at)
    select ${chainId}, execution_id, client_order_id, symbol, side, quantity, price8, executed_at from unnest(
      ${column((one) => one.executionId)}::text[], ${column((one) => one.clientOrderId)}::text[],
      ${column((one) => one.symbol)}::text[], ${column((one) => one.side)}::text[],
      ${column((one) => one.quantityWad)}::text[]::numeric[], ${column((one) => one.price8)}::text[]::numeric[],
      ${column((one) => new Date(one.timeMs).toISOString())}::text[]::timestamptz[]
    ) with ordinality as i (execution_id, client_order_id, symbol, side, quantity, price8, executed_at, place)
    where not exists (select from execution_settlements s
      where s.chain_id = ${chainId} and s.execution_id = i.execution_id)
    order by place on conflict do nothing returning execution_id as "executionId"`
  return new Set(rows.map(({ executionId }) => executionId))
}

/** The kept executions of those of the named orders that are stored, in the order of the broker's books. */
export async function claimableExecutions(
  db: Db,
  chainId: number,
  clientOrderIds: readonly string[],
): Promise<readonly Execution[]> {
  const rows = await db<(Omit<Execution, 'timeMs'> & { executedAt: Date })[]>`
    select u.execution_id as "executionId", client_order_id as "clientOrderId", symbol, side,
      u.quantity_wad as "quantityWad", u.price8, u.executed_at as "executedAt"
    from unclaimed_executions u join broker_orders o using (chain_id, client_order_id, symbol, side)
    where chain_id = ${chainId} and client_order_id = any(${[...clientOrderIds]}::text[]) order by u.place`
  return rows.map(({ executedAt, ...row }) => ({ ...row, timeMs: executedAt.getTime() }))
}

/** Keeps executions no longer that are recorded. */
export async function dropClaimed(tx: Tx, chainId: number, executionIds: readonly string[]): Promise<void> {
  await tx`
    delete from unclaimed_executions
    where chain_id = ${chainId} and execution_id = any(${[...executionIds]}::text[])`
}
