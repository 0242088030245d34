import type { Hex } from '../../chain/types.ts'
import { type Db, numeric } from '../../db/pool.ts'
import { tokensOf } from '../listing/shares.ts'
import { sameTerms } from './keeper-store.ts'

/** Tokens of a stock that buys at the broker will or may bring, 18 decimals. */
export interface BuysUnderWay {
  /** Executed, and not seen settled on the chain. */
  readonly executedWad: bigint
  /** What may still be executed: what the rest of each order's money buys, at most its quantity. */
  readonly openWad: bigint
}

/** Buys under way of each of these tokens, at its price (USD with 18 decimals); a token without any is left out. */
export async function buysUnderWay(
  db: Db,
  chainId: number,
  pricesWad: ReadonlyMap<Hex, bigint>,
): Promise<ReadonlyMap<Hex, BuysUnderWay>> {
  const executed = tokensOf(db, db`b.filled_quantity_wad`, db`k.shares_per_token_wad`)
  const rows = await db<(BuysUnderWay & { token: Hex })[]>`
    with price as (
      select * from unnest(${[...pricesWad.keys()]}::text[], ${[...pricesWad.values()].map(numeric)}::text[]::numeric[])
        as p (token, price_wad)
    ), buy as (
      select o.token, p.price_wad, o.filled_quantity_wad as settled, ${executed} as executed,
        b.status in ('requested', 'accepted', 'partially_filled') as is_open,
        case o.order_type when 'Market' then o.amount_wad - b.filled_cash_wad else
          div((o.amount_wad - ${executed}) * o.limit_price_wad, 1000000000000000000) end as money,
        case o.order_type when 'Limit' then o.amount_wad - ${executed} end as quantity
      from stock_orders o
      join price p on p.token = o.token
      join taken_orders k on k.chain_id = o.chain_id and k.order_id = o.order_id
      join broker_orders b on b.chain_id = o.chain_id and b.client_order_id = o.order_id
      where o.chain_id = ${chainId} and o.status = 'open' and o.side = 'Buy' and ${sameTerms(db)}
    )
    select token, sum(greatest(executed - settled, 0)) as "executedWad",
      coalesce(sum(least(quantity, ceil(greatest(money, 0) * 1000000000000000000 / price_wad))) filter (where is_open), 0)
        as "openWad"
    from buy group by token`
  return new Map(rows.map(({ token, ...underWay }) => [token, underWay]))
}
