import type { Sql } from '../db/pool.ts'
import { SESSION, type Session } from './hours.ts'
import type { SourceQuote } from './ports.ts'

/** A source's quote with where it stands in the market's calendar. */
export interface DatedQuote extends SourceQuote {
  readonly session: Session
  readonly tradeDate: string
  /** Trade date 24 hours before. */
  readonly referenceDate: string
}

/** Intervals of market_candles; longer ones follow trade dates. */
const CANDLE_INTERVALS_SEC = [180, 300, 900, 3600]

/** Volume between two quotes counts when they are this close; what passed in a longer gap was not watched. */
const WATCHED_GAP = '2 minutes'

/**
 * Takes a round of quotes: the latest quote and the running bar of every interval of each symbol, in one statement. A
 * quote that is not newer than the stored one, or of an unlisted symbol, changes nothing, so a round may be repeated. The
 * bars' partitions must exist. While the market is closed a symbol's first quote makes no bar: nobody watched its time.
 * Resolves to the symbols that changed.
 */
export async function recordQuotes(
  sql: Sql,
  quotes: readonly DatedQuote[],
  isOpen: boolean,
): Promise<readonly string[]> {
  const column = (read: (quote: DatedQuote) => bigint | number | string) =>
    quotes.map((quote) => read(quote).toString())
  const rows = await sql<{ symbol: string }[]>`
    with input as (
      select * from unnest(
        ${column((quote) => quote.symbol)}::text[], ${column((quote) => quote.price8)}::text[]::numeric[],
        ${column((quote) => quote.bid8)}::text[]::numeric[], ${column((quote) => quote.ask8)}::text[]::numeric[],
        ${column((quote) => quote.volumeWad)}::text[]::numeric[],
        ${column((quote) => new Date(quote.timeMs).toISOString())}::text[]::timestamptz[],
        ${column((quote) => quote.session)}::text[]::smallint[],
        ${column((quote) => quote.tradeDate)}::text[]::date[],
        ${column((quote) => quote.referenceDate)}::text[]::date[]
      ) as i (symbol, price8, bid8, ask8, counter, source_time, session, trade_date, reference_date)
    ), previous as (
      select q.* from market_quotes q join input using (symbol) order by q.symbol for update of q
    ), fresh as (
      select i.*, s.last_close_price8, s.last_close_date, coalesce(p.volume_total_wad, 0) as total_before,
        case when p.source_time < i.source_time - ${WATCHED_GAP}::interval or p.symbol is null then 0
          when i.counter >= p.volume_counter_wad then i.counter - p.volume_counter_wad
          else i.counter end as traded,
        ${isOpen}::boolean or p.symbol is not null as is_watched
      from input i join market_symbols s using (symbol) left join previous p using (symbol)
      where p.symbol is null or p.source_time < i.source_time
    ), bar as (
      insert into market_minute_bars as b
        (symbol, start_time, open_price8, high_price8, low_price8, close_price8, volume_wad, volume_total_wad)
      select symbol, date_trunc('minute', source_time, 'UTC'), price8, price8, price8, price8, traded,
        total_before + traded from fresh where is_watched
      on conflict (symbol, start_time) do update set high_price8 = greatest(b.high_price8, excluded.high_price8),
        low_price8 = least(b.low_price8, excluded.low_price8), close_price8 = excluded.close_price8,
        volume_wad = b.volume_wad + excluded.volume_wad, volume_total_wad = excluded.volume_total_wad
    ), candle as (
      insert into market_candles as b
        (symbol, interval_sec, start_time, open_price8, high_price8, low_price8, close_price8, volume_wad)
      select symbol, interval_sec, date_bin(interval_sec * interval '1 second', source_time, 'epoch'), price8, price8,
        price8, price8, traded
      from fresh cross join unnest(${CANDLE_INTERVALS_SEC}::integer[]) as interval_sec
      where is_watched
      on conflict (symbol, interval_sec, start_time) do update set high_price8 = greatest(b.high_price8, excluded.high_price8),
        low_price8 = least(b.low_price8, excluded.low_price8), close_price8 = excluded.close_price8,
        volume_wad = b.volume_wad + excluded.volume_wad
    ), own_day as (
      select *, trade_date - extract(isodow from trade_date)::integer + 1 as week_start from fresh
      where is_watched and trade_date > coalesce(last_close_date, '-infinity')
    ), day as (
      insert into market_daily_bars as b
        (symbol, trade_date, recorded, open_price8, high_price8, low_price8, close_price8, volume_wad)
      select symbol, trade_date, false, price8, price8, price8, price8, traded from own_day
      on conflict (symbol, trade_date) do update set high_price8 = greatest(b.high_price8, excluded.high_price8),
        low_price8 = least(b.low_price8, excluded.low_price8), close_price8 = excluded.close_price8,
        volume_wad = b.volume_wad + excluded.volume_wad
      where not b.recorded
    ), week as (
      insert into market_weekly_bars as b
        (symbol, week_start, open_price8, high_price8, low_price8, close_price8, volume_wad)
      select symbol, week_start, price8, price8, price8, price8, traded from own_day
      on conflict (symbol, week_start) do update set high_price8 = greatest(b.high_price8, excluded.high_price8),
        low_price8 = least(b.low_price8, excluded.low_price8), close_price8 = excluded.close_price8,
        volume_wad = b.volume_wad + excluded.volume_wad
    )
    insert into market_quotes as q (symbol, price8, bid8, ask8, source_time, session, trade_date, open_price8,
      high_price8, low_price8, previous_close_price8, reference_price8, volume_counter_wad, volume_total_wad, volume_24h_wad)
    select symbol, price8, bid8, ask8, source_time, session, trade_date, price8, price8, price8, last_close_price8,
      coalesce(minute_bar.close_price8, day_bar.close_price8, last_close_price8), counter, total_before + traded,
      total_before + traded - coalesce(minute_bar.volume_total_wad, 0)
    from fresh
    left join lateral (
      select close_price8, volume_total_wad from market_minute_bars m
      where m.symbol = fresh.symbol and m.start_time <= fresh.source_time - interval '24 hours 1 minute'
      order by m.start_time desc limit 1) minute_bar on true
    left join lateral (
      select close_price8 from market_daily_bars d
      where d.symbol = fresh.symbol and d.trade_date < fresh.reference_date and minute_bar.close_price8 is null
      order by d.trade_date desc limit 1) day_bar on true
    on conflict (symbol) do update set price8 = excluded.price8, bid8 = excluded.bid8, ask8 = excluded.ask8,
      source_time = excluded.source_time, session = excluded.session, trade_date = excluded.trade_date,
      open_price8 = case when q.trade_date = excluded.trade_date then q.open_price8 else excluded.open_price8 end,
      high_price8 = case when q.trade_date = excluded.trade_date then greatest(q.high_price8, excluded.price8)
        else excluded.price8 end,
      low_price8 = case when q.trade_date = excluded.trade_date then least(q.low_price8, excluded.price8)
        else excluded.price8 end,
      previous_close_price8 = case when q.trade_date = excluded.trade_date then q.previous_close_price8 else q.price8 end,
      reference_price8 = excluded.reference_price8, volume_counter_wad = excluded.volume_counter_wad,
      volume_total_wad = excluded.volume_total_wad, volume_24h_wad = excluded.volume_24h_wad
    returning symbol`
  return rows.map((row) => row.symbol)
}

/** Says of every quote that its market is closed; prices and source times stand as they are (design 7). */
export async function closeSession(sql: Sql): Promise<void> {
  await sql`update market_quotes set session = ${SESSION.closed} where session <> ${SESSION.closed}`
}
