import { notIndexed } from '../../chain/send/ended-intents.ts'
import type { Db } from '../../db/pool.ts'

// How long orders wait and take, for /metrics. Float seconds: figures for alarms, not for books.

/** Stages of a market order: to the broker's answer, from there to its last execution, from the order to its settlement. */
export type OrderStage = 'submit' | 'fill' | 'settle'

export interface StageTime {
  readonly stage: OrderStage
  readonly p50Sec: number
  readonly p99Sec: number
}

/** Stages are measured over the orders that ended them within so many seconds. */
const WINDOW_SEC = 300

/** Age of the oldest open order that the broker has not answered for; 0 when there is none. */
export async function oldestUnsubmittedSec(db: Db, chainId: number): Promise<number> {
  const [row] = await db<{ sec: number }[]>`
    select coalesce(max(extract(epoch from now()) - o.created_at_sec), 0)::float8 as sec
    from stock_orders o
    left join broker_orders b on b.chain_id = o.chain_id and b.client_order_id = o.order_id
    where o.chain_id = ${chainId} and o.status = 'open' and coalesce(b.status, 'requested') = 'requested'`
  return Math.max(0, row?.sec ?? 0)
}

/** Age of the oldest execution of which the indexed chain does not show the settlement; 0 when there is none. */
export async function oldestUnsettledSec(db: Db, chainId: number): Promise<number> {
  const [row] = await db<{ sec: number }[]>`
    with unsettled as (
      select s.execution_id, s.executed_at from execution_settlements s
      where s.chain_id = ${chainId} and s.intent_id is null
      union all
      select s.execution_id, s.executed_at from ${notIndexed(db, chainId)} i
      join execution_settlements s on s.chain_id = i.chain_id and s.intent_id = i.id
    )
    select coalesce(max(extract(epoch from now() - e.recorded_at)), 0)::float8 as sec
    from unsettled u
    join broker_executions e on e.chain_id = ${chainId} and e.execution_id = u.execution_id and e.executed_at = u.executed_at
    where not exists (select from hedges h
      where h.chain_id = ${chainId} and h.execution_id = u.execution_id and h.released_at is null)`
  return row?.sec ?? 0
}

/** How long the stages of market orders took lately; a stage that no order has ended lately is left out. */
export async function stageTimes(db: Db, chainId: number): Promise<readonly StageTime[]> {
  const since = db`now() - ${WINDOW_SEC} * interval '1 second'`
  return await db<StageTime[]>`
    with stages as (
      select 'submit' as stage, extract(epoch from b.answered_at) - o.created_at_sec as sec
      from broker_orders b
      join stock_orders o on o.chain_id = b.chain_id and o.order_id = b.client_order_id
      where b.chain_id = ${chainId} and b.answered_at > ${since} and o.order_type = 'Market'
      union all
      select 'fill', extract(epoch from e.last - b.answered_at)
      from broker_orders b
      cross join lateral (select max(recorded_at) as last from broker_executions e
        where e.chain_id = b.chain_id and e.client_order_id = b.client_order_id) e
      where b.chain_id = ${chainId} and b.answered_at > ${since} and b.type = 'market' and e.last is not null
      union all
      select 'settle', o.closed_at_sec - o.created_at_sec
      from stock_orders o
      where o.chain_id = ${chainId} and o.closed_at_sec > extract(epoch from ${since})::bigint
        and o.order_type = 'Market' and o.status = 'filled'
    )
    select stage, greatest(0, percentile_cont(0.5) within group (order by sec))::float8 as "p50Sec",
      greatest(0, percentile_cont(0.99) within group (order by sec))::float8 as "p99Sec"
    from stages group by stage order by stage`
}
