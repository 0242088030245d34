import { type Db, numeric, type Tx } from '../db/pool.ts'
import type { PricedAction } from './adjustment.ts'
import type { ActionType, CorporateAction } from './corporate-actions.ts'

interface ActionRow {
  readonly symbol: string
  readonly type: ActionType
  readonly ex_date: string
  readonly record_date: string | null
  readonly payable_date: string | null
  readonly ratio_from8: bigint | null
  readonly ratio_to8: bigint | null
  readonly cash_amount8: bigint | null
}

/**
 * Makes what a file or a market's source tells of the whole table but for the splits that the operator has applied to tokens: these stay,
 * with their ratios, and take over nothing but dates. Rows that are the same stay as they are.
 */
export async function replaceCorporateActions(tx: Tx, actions: readonly CorporateAction[]): Promise<void> {
  const column = (read: (action: CorporateAction) => string | null) => actions.map(read)
  const keys = [column((one) => one.symbol), column((one) => one.type), column((one) => one.exDate)]
  await tx`
    delete from market_corporate_actions where effective_at is null and (symbol, type, ex_date) not in (
      select * from unnest(${keys[0] ?? []}::text[], ${keys[1] ?? []}::text[], ${keys[2] ?? []}::text[]::date[]))`
  await tx`
    insert into market_corporate_actions as stored
      (symbol, type, ex_date, record_date, payable_date, ratio_from8, ratio_to8, cash_amount8)
    select * from unnest(
      ${keys[0] ?? []}::text[], ${keys[1] ?? []}::text[], ${keys[2] ?? []}::text[]::date[],
      ${column((one) => one.recordDate)}::text[]::date[], ${column((one) => one.payableDate)}::text[]::date[],
      ${column((one) => numeric(one.ratioFrom8))}::text[]::numeric[],
      ${column((one) => numeric(one.ratioTo8))}::text[]::numeric[],
      ${column((one) => numeric(one.cashAmount8))}::text[]::numeric[])
    on conflict (symbol, type, ex_date) do update set record_date = excluded.record_date,
      payable_date = excluded.payable_date,
      ratio_from8 = case when stored.effective_at is null then excluded.ratio_from8 else stored.ratio_from8 end,
      ratio_to8 = case when stored.effective_at is null then excluded.ratio_to8 else stored.ratio_to8 end,
      cash_amount8 = excluded.cash_amount8
    where (stored.record_date, stored.payable_date) is distinct from (excluded.record_date, excluded.payable_date)
      or stored.effective_at is null and (stored.ratio_from8, stored.ratio_to8, stored.cash_amount8)
        is distinct from (excluded.ratio_from8, excluded.ratio_to8, excluded.cash_amount8)`
}

/** Which actions to list; ex-dates by their midnight in New York, Unix seconds, both ends included. Null: any. */
export interface ActionFilter {
  readonly symbol: string | null
  readonly fromSec: number | null
  readonly toSec: number | null
}

/** Corporate actions by ex-date, then symbol and type. */
export async function listCorporateActions(db: Db, filter: ActionFilter): Promise<readonly CorporateAction[]> {
  const midnight = db`extract(epoch from ex_date::timestamp at time zone 'America/New_York')`
  const rows = await db<ActionRow[]>`
    select symbol, type, ex_date::text, record_date::text, payable_date::text, ratio_from8, ratio_to8, cash_amount8
    from market_corporate_actions
    where ${filter.symbol === null ? db`true` : db`symbol = ${filter.symbol}`}
      and ${filter.fromSec === null ? db`true` : db`${midnight} >= ${filter.fromSec}`}
      and ${filter.toSec === null ? db`true` : db`${midnight} <= ${filter.toSec}`}
    order by market_corporate_actions.ex_date, symbol, type`
  return rows.map(toAction)
}

/**
 * The actions of a symbol, each with the last close before its ex-date as it was traded, and when shares became other shares in
 * a market that plays its splits.
 */
export async function pricedActions(db: Db, symbol: string): Promise<readonly PricedAction[]> {
  const rows = await db<(ActionRow & { close_before8: bigint | null; played_at: Date | null })[]>`
    select a.symbol, type, ex_date::text, record_date::text, payable_date::text, ratio_from8, ratio_to8, cash_amount8,
      (select close_price8 from market_daily_bars b where b.symbol = a.symbol and trade_date < a.ex_date
        order by trade_date desc limit 1) as close_before8,
      case when market_plays_splits() then effective_at end as played_at
    from market_corporate_actions a where symbol = ${symbol}`
  return rows.map((row) => ({
    ...toAction(row),
    closeBefore8: row.close_before8,
    playedMs: row.played_at?.getTime() ?? null,
  }))
}

const toAction = (row: ActionRow): CorporateAction => ({
  symbol: row.symbol,
  type: row.type,
  exDate: row.ex_date,
  recordDate: row.record_date,
  payableDate: row.payable_date,
  ratioFrom8: row.ratio_from8,
  ratioTo8: row.ratio_to8,
  cashAmount8: row.cash_amount8,
})
