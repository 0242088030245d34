import type { Hex } from '../../chain/types.ts'
import type { Db } from '../../db/pool.ts'
import { queuedWithdrawalsWad } from '../portfolio/position-store.ts'

// Cash in the database: the chain as it was indexed. mUSD has 18 decimals, `Raw` amounts the token's own.

/** What the orders' fills moved: a buy spends notional and fees, a sell earns its notional less the fees. */
const earned = (db: Db) => db`
  case o.side when 'Buy' then - f.notional_wad else f.notional_wad end - f.third_party_fee_wad - f.protocol_fee_wad`

export interface CashBooks {
  /** What the venue owes its users: balances, locks of orders, queued withdrawals. */
  readonly owedWad: bigint
  /** What the Cashier has numbered, and what the exchange has: its orders, and withdrawals of stock that it had to queue. */
  readonly cashOperations: bigint
  readonly numbered: bigint
  readonly creditBufferWad: bigint
}

/** The venue's cash as a whole. */
export async function cashBooks(db: Db, chainId: number): Promise<CashBooks> {
  const [row] = await db<CashBooks[]>`
    select coalesce((
        select sum(case kind when 'deposit' then amount_wad else - amount_wad end) from cash_operations
        where chain_id = ${chainId} and status = 'settled'), 0)
      + coalesce((
        select sum(${earned(db)}) from stock_fills f join stock_orders o using (chain_id, order_id)
        where f.chain_id = ${chainId}), 0) as "owedWad",
      (select count(*) from cash_operations where chain_id = ${chainId}) as "cashOperations",
      (select count(*) from stock_orders where chain_id = ${chainId})
        + (select count(*) from stock_operations where chain_id = ${chainId} and exit_at_sec is not null) as numbered,
      coalesce((select credit_buffer_wad from stock_settings where chain_id = ${chainId}), 0) as "creditBufferWad"`
  if (!row) throw new Error('a query without a condition has no row')
  return row
}

/** One cash token in the database. */
export interface CashTokenBooks {
  readonly token: Hex
  readonly symbol: string
  readonly decimals: number
  readonly usdRateE6: bigint
  readonly depositPaused: boolean
  readonly withdrawBufferRaw: bigint
  /** Brought by deposits that stand, less paid by withdrawals. */
  readonly movedRaw: bigint
  readonly queuedDepositsRaw: bigint
  readonly queuedWithdrawalsWad: bigint
}

/** Every supported cash token. */
export async function cashTokenBooks(db: Db, chainId: number): Promise<CashTokenBooks[]> {
  return await db<CashTokenBooks[]>`
    with operations as (
      select token,
        sum(case kind when 'deposit' then amount_raw else - amount_raw end) filter (
          where kind = 'deposit' and status <> 'taken_back' or kind = 'withdraw' and status = 'settled') as moved,
        sum(amount_raw) filter (where kind = 'deposit' and status = 'queued') as deposits,
        sum(amount_wad) filter (where kind = 'withdraw' and status = 'queued') as withdrawals
      from cash_operations where chain_id = ${chainId} group by token
    )
    select t.token, t.symbol, t.decimals, t.usd_rate_e6 as "usdRateE6", t.deposit_paused as "depositPaused",
      t.withdraw_buffer_raw as "withdrawBufferRaw",
      coalesce(o.moved, 0) as "movedRaw", coalesce(o.deposits, 0) as "queuedDepositsRaw",
      coalesce(o.withdrawals, 0) as "queuedWithdrawalsWad"
    from cash_tokens t left join operations o using (token)
    where t.chain_id = ${chainId} and t.supported order by t.symbol, t.token`
}

/** What the database says that a user has: mUSD, free and locked, without queued withdrawals. */
export interface UserCash {
  readonly user: Hex
  readonly cashWad: bigint
}

/** What the database says that a user has of a stock at the exchange: free and locked, without queued withdrawals. */
export interface UserStock {
  readonly user: Hex
  readonly token: Hex
  readonly ticker: string
  readonly quantityWad: bigint
}

/** The next users after `after` by address. */
export async function usersAfter(db: Db, chainId: number, after: string, limit: number): Promise<Hex[]> {
  const rows = await db<{ user: Hex }[]>`
    select user_address as user from (
      (select distinct user_address from cash_operations where chain_id = ${chainId} and user_address > ${after}
        order by user_address limit ${limit})
      union (select distinct user_address from stock_orders where chain_id = ${chainId} and user_address > ${after}
        order by user_address limit ${limit})
      union (select distinct user_address from stock_operations where chain_id = ${chainId} and user_address > ${after}
        order by user_address limit ${limit})
    ) known order by 1 limit ${limit}`
  return rows.map(({ user }) => user)
}

export async function userCash(db: Db, chainId: number, users: readonly Hex[]): Promise<UserCash[]> {
  return await db<UserCash[]>`
    select u.user, coalesce((
        select sum(case kind when 'deposit' then amount_wad else - amount_wad end) from cash_operations
        where chain_id = ${chainId} and user_address = u.user
          and (kind = 'deposit' and status = 'settled' or kind = 'withdraw' and status <> 'taken_back')), 0)
      + coalesce((
        select sum(${earned(db)}) from stock_orders o join stock_fills f using (chain_id, order_id)
        where o.chain_id = ${chainId} and o.user_address = u.user), 0) as "cashWad"
    from unnest(${[...users]}::text[]) as u ("user")`
}

/** Holdings of every stock that the users have ever traded or moved. */
export async function userStocks(db: Db, chainId: number, users: readonly Hex[]): Promise<UserStock[]> {
  return await db<UserStock[]>`
    select k.user_address as user, k.token, t.ticker,
      coalesce(p.quantity_wad, 0) - ${queuedWithdrawalsWad(db)} as "quantityWad"
    from (
      select user_address, token from stock_orders where chain_id = ${chainId} and user_address = any(${[...users]}::text[])
      union select user_address, token from stock_operations
      where chain_id = ${chainId} and user_address = any(${[...users]}::text[])
      union select user_address, token from stock_positions
      where chain_id = ${chainId} and user_address = any(${[...users]}::text[])
    ) k join stock_tokens t on t.chain_id = ${chainId} and t.token = k.token
    left join stock_positions p on p.chain_id = ${chainId} and p.user_address = k.user_address and p.token = k.token
    order by 1, 2`
}
