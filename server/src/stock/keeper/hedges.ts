import type { Db } from '../../db/pool.ts'
import type { Venue } from '../../http/product.ts'
import { sameTerms, tokensAfter } from './keeper-store.ts'

/**
 * Books what the broker executed for orders that cannot take it any more (taken back by their users, say, while the broker
 * was filling them) as hedges of the venue, each execution once, and releases those whose order stands again after a
 * reorganisation: the settlement then takes them.
 */
export async function bookHedges({ sql, deployment, log }: Venue): Promise<void> {
  const released = await releaseHedges(sql, deployment.chainId)
  const booked = await insertHedges(sql, deployment.chainId)
  for (const hedge of booked) log.warn(hedge, 'an execution can no longer be settled and is a hedge of the venue')
  for (const executionId of released) log.info({ executionId }, 'a hedge of the venue belongs to its order again')
}

async function insertHedges(db: Db, chainId: number) {
  return await db<{ executionId: string; orderId: string; symbol: string; reason: string }[]>`
    insert into hedges as h (chain_id, execution_id, order_id, symbol, quantity_wad, cash_wad, reason)
    select e.chain_id, e.execution_id, e.client_order_id, e.symbol,
      case e.side when 'buy' then e.quantity_wad else -e.quantity_wad end,
      case e.side when 'buy' then -e.cash_wad else e.cash_wad end,
      case when o.order_id is null then 'vanished' when not ${sameTerms(db)} then 'replaced'
        when o.status = 'taken_back' then 'taken_back' else 'closed' end
    from execution_settlements s
    join broker_executions e using (chain_id, execution_id, executed_at)
    join taken_orders k on k.chain_id = e.chain_id and k.order_id = e.client_order_id
    left join stock_orders o on o.chain_id = e.chain_id and o.order_id = e.client_order_id
    where s.chain_id = ${chainId} and s.intent_id is null
      and (o.order_id is null or not ${sameTerms(db)} or o.status <> 'open' and o.filled_quantity_wad < ${tokensAfter(db)})
      and not exists (select from hedges known where known.chain_id = e.chain_id
        and known.execution_id = e.execution_id and known.released_at is null)
    on conflict (chain_id, execution_id) do update set reason = excluded.reason, booked_at = now(), released_at = null
      where h.released_at is not null
    returning h.execution_id as "executionId", h.order_id as "orderId", h.symbol, h.reason`
}

async function releaseHedges(db: Db, chainId: number): Promise<string[]> {
  const rows = await db<{ executionId: string }[]>`
    update hedges h set released_at = now()
    from taken_orders k, stock_orders o, execution_settlements s
    where h.chain_id = ${chainId} and h.released_at is null
      and k.chain_id = h.chain_id and k.order_id = h.order_id and o.chain_id = h.chain_id and o.order_id = h.order_id
      and s.chain_id = h.chain_id and s.execution_id = h.execution_id
      and (s.intent_id is not null or o.status = 'open' and ${sameTerms(db)})
    returning h.execution_id as "executionId"`
  return rows.map(({ executionId }) => executionId)
}

/** The venue's own risk in one symbol: signed shares and USD, 18 decimals. */
export interface HedgeSum {
  readonly symbol: string
  readonly quantityWad: bigint
  readonly cashWad: bigint
  readonly executions: number
}

/** The booked hedges of each symbol. */
export async function sumHedges(db: Db, chainId: number): Promise<HedgeSum[]> {
  return await db<HedgeSum[]>`
    select symbol, sum(quantity_wad) as "quantityWad", sum(cash_wad) as "cashWad", count(*)::int as executions
    from hedges where chain_id = ${chainId} and released_at is null group by symbol order by symbol`
}
