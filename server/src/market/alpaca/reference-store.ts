import type { Db } from '../../db/pool.ts'

/** The newest recorded day of each symbol that has one, `YYYY-MM-DD`. */
export async function lastRecordedDates(db: Db, symbols: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await db<{ symbol: string; last: string }[]>`
    select symbol, max(trade_date)::text as last from market_daily_bars
    where recorded and symbol = any(${[...symbols]}::text[]) group by symbol`
  return new Map(rows.map((row) => [row.symbol, row.last]))
}
