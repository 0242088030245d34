import type { Db, Tx } from '../db/pool.ts'
import type { DailyBar } from './replay.ts'

/**
 * Stores recorded bars of a listed symbol; what is stored already stays, and a corrected bar replaces its older version.
 * The partitions must exist. Resolves to how many bars were new or corrected.
 */
export async function upsertDailyBars(tx: Tx, symbol: string, bars: readonly DailyBar[]): Promise<number> {
  const column = (read: (bar: DailyBar) => bigint | string | null) => bars.map((bar) => read(bar)?.toString() ?? null)
  const changed = await tx`
    insert into market_daily_bars as stored
      (symbol, recorded, trade_date, open_price8, high_price8, low_price8, close_price8, volume_wad)
    select ${symbol}, true, * from unnest(
      ${column((bar) => bar.date)}::text[]::date[], ${column((bar) => bar.open8)}::text[]::numeric[],
      ${column((bar) => bar.high8)}::text[]::numeric[], ${column((bar) => bar.low8)}::text[]::numeric[],
      ${column((bar) => bar.close8)}::text[]::numeric[], ${column((bar) => bar.volumeWad)}::text[]::numeric[])
    on conflict (symbol, trade_date) do update set recorded = true, open_price8 = excluded.open_price8,
      high_price8 = excluded.high_price8, low_price8 = excluded.low_price8, close_price8 = excluded.close_price8,
      volume_wad = excluded.volume_wad
    where (stored.recorded, stored.open_price8, stored.high_price8, stored.low_price8, stored.close_price8,
      stored.volume_wad) is distinct from
      (true, excluded.open_price8, excluded.high_price8, excluded.low_price8, excluded.close_price8, excluded.volume_wad)`
  return changed.count
}

/** Makes the newest recorded close of a symbol the price that came before its first quote. */
export async function refreshLastClose(tx: Tx, symbol: string): Promise<void> {
  await tx`
    update market_symbols set last_close_price8 = bar.close_price8, last_close_date = bar.trade_date
    from (select close_price8, trade_date from market_daily_bars where symbol = ${symbol} and recorded
      order by trade_date desc limit 1) bar
    where symbol = ${symbol}`
}

/**
 * Gives a symbol's days up to its last recorded one to the record: days that the venue watched itself count only after it.
 * Then its weeks are built anew from its days.
 */
export async function rebuildWeeks(tx: Tx, symbol: string): Promise<void> {
  // Whoever takes quotes locks this row first: the running day and week stand still meanwhile.
  await tx`select 1 from market_quotes where symbol = ${symbol} for update`
  await tx`
    delete from market_daily_bars b using market_symbols s
    where b.symbol = ${symbol} and s.symbol = b.symbol and not b.recorded and b.trade_date <= s.last_close_date`
  await tx`delete from market_weekly_bars where symbol = ${symbol}`
  await tx`
    insert into market_weekly_bars
      (symbol, week_start, open_price8, high_price8, low_price8, close_price8, volume_wad)
    select symbol, trade_date - extract(isodow from trade_date)::integer + 1 as monday,
      (array_agg(open_price8 order by trade_date))[1], max(high_price8), min(low_price8),
      (array_agg(close_price8 order by trade_date desc))[1],
      case when count(volume_wad) = count(*) then sum(volume_wad) end
    from market_daily_bars where symbol = ${symbol} group by symbol, monday`
}

/** The newest recorded day of each symbol that has one, `YYYY-MM-DD`. */
export async function lastRecordedDates(db: Db, symbols: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await db<{ symbol: string; last: string }[]>`
    select symbol, max(trade_date)::text as last from market_daily_bars
    where recorded and symbol = any(${[...symbols]}::text[]) group by symbol`
  return new Map(rows.map((row) => [row.symbol, row.last]))
}
