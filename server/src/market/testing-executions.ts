import type { Db } from '../db/pool.ts'
import type { OrderStatus } from './broker-store.ts'
import type { Execution, Side } from './ports.ts'

/** An execution that no settlement has taken yet, with what tests look at. */
export interface OpenExecution extends Execution {
  readonly cashWad: bigint
  readonly filledBeforeWad: bigint
  readonly orderStatus: OrderStatus
}

/** Executions that no settlement has taken yet, in the order they were collected. */
export async function unsettledExecutions(db: Db, chainId: number): Promise<readonly OpenExecution[]> {
  return await db<(OpenExecution & { side: Side })[]>`
    select e.execution_id as "executionId", e.client_order_id as "clientOrderId", e.symbol, e.side,
      e.quantity_wad as "quantityWad", e.price8, e.cash_wad as "cashWad", e.filled_before_wad as "filledBeforeWad",
      (extract(epoch from e.executed_at) * 1000)::float8 as "timeMs", o.status as "orderStatus"
    from execution_settlements s
    join broker_executions e using (chain_id, execution_id, executed_at)
    join broker_orders o using (chain_id, client_order_id)
    where s.chain_id = ${chainId} and s.intent_id is null order by s.queue_position`
}
