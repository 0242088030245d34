import type { Hex } from '../../chain/types.ts'
import { type Db, numeric } from '../../db/pool.ts'
import { tokensOf } from '../listing/shares.ts'
import { sameTerms } from './keeper-store.ts'

/** What a token of a stock costs, USD with 18 decimals. */
export interface TokenPrices {
  /** What money is counted at: the lowest that a settlement may come to take. */
  readonly lowestWad: bigint
  readonly askWad: bigint
}

/** Tokens of a stock that buys at the broker will or may bring, 18 decimals. */
export interface BuysUnderWay {
  readonly token: Hex
  /** The block that the books stand at. */
  readonly blockNumber: bigint
  /** Executed, and not seen settled on the chain. */
  readonly executedWad: bigint
  /** What may still be executed: what the rest of each order's money buys, at most its quantity. */
  readonly openWad: bigint
  /** What is of limits below the ask in that. */
  readonly restingWad: bigint
}

/** Buys under way of each of these tokens at its prices, and one block for all of them. */
export async function buysUnderWay(
  db: Db,
  chainId: number,
  prices: ReadonlyMap<Hex, TokenPrices>,
): Promise<readonly BuysUnderWay[]> {
  const executed = tokensOf(db, db`b.filled_quantity_wad`, db`k.shares_per_token_wad`)
  const column = (read: (one: TokenPrices) => bigint) => [...prices.values()].map((one) => numeric(read(one)))
  return await db<BuysUnderWay[]>`
    with price as (
      select * from unnest(${[...prices.keys()]}::text[], ${column(({ lowestWad }) => lowestWad)}::text[]::numeric[],
        ${column(({ askWad }) => askWad)}::text[]::numeric[]) as p (token, lowest_wad, ask_wad)
    ), buy as (
      select o.token, p.lowest_wad, o.limit_price_wad < p.ask_wad as is_resting, o.filled_quantity_wad as settled,
        ${executed} as executed, b.status in ('requested', 'accepted', 'partially_filled') as is_open,
        case o.order_type when 'Market' then o.amount_wad - b.filled_cash_wad else
          div((o.amount_wad - ${executed}) * o.limit_price_wad, 1000000000000000000) end as money,
        case o.order_type when 'Limit' then o.amount_wad - ${executed} end as quantity
      from stock_orders o
      join price p on p.token = o.token
      join taken_orders k on k.chain_id = o.chain_id and k.order_id = o.order_id
      join broker_orders b on b.chain_id = o.chain_id and b.client_order_id = o.order_id
      where o.chain_id = ${chainId} and o.status = 'open' and o.side = 'Buy' and ${sameTerms(db)}
    ), counted as (
      select token, is_open, is_resting, greatest(executed - settled, 0) as executed,
        least(quantity, ceil(greatest(money, 0) * 1000000000000000000 / lowest_wad)) as open
      from buy
    )
    select p.token, (select max(number) from blocks where chain_id = ${chainId}) as "blockNumber",
      coalesce(sum(c.executed), 0) as "executedWad", coalesce(sum(c.open) filter (where c.is_open), 0) as "openWad",
      coalesce(sum(c.open) filter (where c.is_open and c.is_resting), 0) as "restingWad"
    from price p left join counted c on c.token = p.token group by p.token`
}
