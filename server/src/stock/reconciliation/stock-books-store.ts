import type { Hex } from '../../chain/types.ts'
import type { Db } from '../../db/pool.ts'
import { sameTerms, tokensAfter } from '../keeper/keeper-store.ts'
import { isForSplit } from '../keeper/split-store.ts'
import { tokensOf } from '../listing/shares.ts'

// Stocks in the database: the broker's executions as they were collected, and the chain as it was indexed.

/** What the venue's executions at a broker come to between two splits of a symbol; shares of that time, signed. */
export interface ExecutedShares {
  readonly symbol: string
  /** Applied splits of the symbol by which the market's shares had become others before. */
  readonly splitsBefore: number
  readonly quantityWad: bigint
}

/** Every execution of the broker's account, whichever chain it was for, summed up. */
export async function executedShares(db: Db, broker: string): Promise<ExecutedShares[]> {
  return await db<ExecutedShares[]>`
    with splits as (
      select symbol, array_agg(market_shares_changed_at(a) order by market_shares_changed_at(a)) as times
      from market_corporate_actions a where effective_at is not null group by symbol
    )
    select e.symbol, coalesce(width_bucket(e.executed_at, s.times), 0) as "splitsBefore",
      sum(case e.side when 'buy' then e.quantity_wad else - e.quantity_wad end) as "quantityWad"
    from broker_executions e join broker_orders b using (chain_id, client_order_id)
    left join splits s on s.symbol = e.symbol
    where b.broker = ${broker} group by 1, 2 order by 1, 2`
}

/** One token in the database; tokens with 18 decimals, signed: bought less sold. */
export interface TokenBooks {
  readonly token: Hex
  readonly ticker: string
  /** What the broker has filled of the venue's orders, by the orders' own totals; in shares as well. */
  readonly filledWad: bigint
  readonly filledSharesWad: bigint
  /** The same by the executions, in shares, and in tokens by what has become of them. */
  readonly executedSharesWad: bigint
  readonly settledWad: bigint
  readonly unsettledWad: bigint
  readonly hedgeWad: bigint
  /** What the chain has settled, by its fills, and by the totals of its orders. */
  readonly fillsWad: bigint
  readonly ordersWad: bigint
  /** Brought to the exchange less taken away from it. */
  readonly movedWad: bigint
  /** What users hold at the exchange, free and locked. */
  readonly positionsWad: bigint
}

/** Every token of the chain. */
export async function tokenBooks(db: Db, chainId: number): Promise<TokenBooks[]> {
  const sign = db`case k.side when 'Buy' then 1 else -1 end`
  const before = tokensOf(db, db`e.filled_before_wad`, db`k.shares_per_token_wad`)
  return await db<TokenBooks[]>`
    with filled as (
      select k.token, sum(${sign} * ${tokensOf(db, db`b.filled_quantity_wad`, db`k.shares_per_token_wad`)}) as tokens,
        sum(${sign} * b.filled_quantity_wad) as shares
      from taken_orders k join broker_orders b on b.chain_id = k.chain_id and b.client_order_id = k.order_id
      where k.chain_id = ${chainId} group by k.token
    ), executions as (
      select k.token, ${sign} * e.quantity_wad as shares, ${sign} * (${tokensAfter(db)} - ${before}) as tokens,
        case when ${sameTerms(db)} and o.filled_quantity_wad >= ${tokensAfter(db)} then 'settled'
          when h.execution_id is not null then 'hedge' else 'unsettled' end as state
      from broker_executions e
      join taken_orders k on k.chain_id = e.chain_id and k.order_id = e.client_order_id
      left join stock_orders o on o.chain_id = e.chain_id and o.order_id = e.client_order_id
      left join hedges h on h.chain_id = e.chain_id and h.execution_id = e.execution_id and h.released_at is null
      where e.chain_id = ${chainId}
    ), executed as (
      select token, sum(shares) as shares, sum(tokens) filter (where state = 'settled') as settled,
        sum(tokens) filter (where state = 'hedge') as hedge, sum(tokens) filter (where state = 'unsettled') as unsettled
      from executions group by token
    ), fills as (
      select k.token, sum(${sign} * f.quantity_wad) as tokens
      from stock_fills f join stock_orders k using (chain_id, order_id) where f.chain_id = ${chainId} group by k.token
    ), orders as (
      select k.token, sum(${sign} * k.filled_quantity_wad) as tokens
      from stock_orders k where k.chain_id = ${chainId} group by k.token
    ), moves as (
      select token, sum(case kind when 'deposit' then amount_wad else - amount_wad end) as tokens
      from stock_operations where chain_id = ${chainId} and status = 'settled' group by token
    ), positions as (
      select token, sum(quantity_wad) as tokens from stock_positions where chain_id = ${chainId} group by token
    )
    select t.token, t.ticker, coalesce(filled.tokens, 0) as "filledWad", coalesce(filled.shares, 0) as "filledSharesWad",
      coalesce(executed.shares, 0) as "executedSharesWad", coalesce(executed.settled, 0) as "settledWad",
      coalesce(executed.unsettled, 0) as "unsettledWad", coalesce(executed.hedge, 0) as "hedgeWad",
      coalesce(fills.tokens, 0) as "fillsWad", coalesce(orders.tokens, 0) as "ordersWad",
      coalesce(moves.tokens, 0) as "movedWad", coalesce(positions.tokens, 0) as "positionsWad"
    from stock_tokens t left join filled using (token) left join executed using (token) left join fills using (token)
    left join orders using (token) left join moves using (token) left join positions using (token)
    where t.chain_id = ${chainId} order by t.token_index`
}

/** Tokens for which a transaction of a split is on its way. */
export async function splitsUnderWay(db: Db, chainId: number): Promise<ReadonlySet<string>> {
  const rows = await db<{ token: string }[]>`
    select distinct s.token from token_splits s join tx_intents i on ${isForSplit(db)}
    left join chain_checkpoints c on c.chain_id = i.chain_id
    where s.chain_id = ${chainId} and (i.state in ('queued', 'signed', 'broadcast')
      or i.outcome = 'succeeded' and i.block_number > c.block_number)`
  return new Set(rows.map(({ token }) => token))
}
