import { type Db, inTransaction, numeric, type Sql, type Tx } from '../db/pool.ts'
import { SESSION, type Session } from './hours.ts'
import type { SourceQuote } from './ports.ts'

/** A source's quote with where it stands in the market's calendar. */
export interface DatedQuote extends SourceQuote {
  readonly session: Session
  readonly tradeDate: string
  /** When the trade date began, market clock, Unix ms. */
  readonly tradeDateStartMs: number
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
 * bars' partitions must exist, and splits that took effect be taken in (`takeInSplits`). While the market is closed a quote stands as
 * one of a closed market, whenever it was made, and a symbol's first makes no bar: nobody watched its time.
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
        ${column(({ session }) => (isOpen ? session : SESSION.closed))}::text[]::smallint[],
        ${column((quote) => quote.tradeDate)}::text[]::date[],
        ${column((quote) => quote.referenceDate)}::text[]::date[],
        ${column((quote) => new Date(quote.tradeDateStartMs).toISOString())}::text[]::timestamptz[]
      ) as i (symbol, price8, bid8, ask8, counter, source_time, session, trade_date, reference_date, trade_date_start)
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
      high_price8, low_price8, previous_close_price8, reference_price8, volume_counter_wad, volume_total_wad,
      volume_24h_wad, trade_date_start, previous_close_time, reference_time, splits_counted)
    select symbol, price8, bid8, ask8, source_time, session, trade_date, price8, price8, price8, last_close_price8,
      coalesce(minute_bar.close_price8, day_bar.close_price8, last_close_price8), counter, total_before + traded,
      total_before + traded - coalesce(round(minute_bar.volume_total_wad
        * market_split_factor(symbol, minute_bar.end_time, source_time)), 0),
      trade_date_start, market_close_time(last_close_date),
      coalesce(minute_bar.end_time, market_close_time(coalesce(close_date, last_close_date))), (
        select count(*) from market_corporate_actions a where a.symbol = fresh.symbol and a.effective_at <= source_time)
    from fresh
    left join lateral (
      select close_price8, volume_total_wad, start_time + interval '59.999999 seconds' as end_time
      from market_minute_bars m
      where m.symbol = fresh.symbol and m.start_time <= fresh.source_time - interval '24 hours 1 minute'
      order by m.start_time desc limit 1) minute_bar on true
    left join lateral (
      select close_price8, trade_date as close_date from market_daily_bars d
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
      previous_close_time = case when q.trade_date = excluded.trade_date then q.previous_close_time else q.source_time end,
      reference_price8 = excluded.reference_price8, volume_counter_wad = excluded.volume_counter_wad,
      volume_total_wad = excluded.volume_total_wad, volume_24h_wad = excluded.volume_24h_wad,
      trade_date_start = excluded.trade_date_start, reference_time = excluded.reference_time
    returning symbol`
  return rows.map((row) => row.symbol)
}

/** A split that a symbol's quote has not taken in yet. */
interface NewSplit {
  readonly symbol: string
  readonly effective_at: Date
  readonly ratio_from8: bigint
  readonly ratio_to8: bigint
}

/**
 * Takes in the splits that have taken effect by these quotes: the bars in which one falls, and the figures of its trade date,
 * become those of the new shares, so that every bar is in the shares of its end. `tradeDateOf` tells the trade date of an
 * instant. A market that does not play splits has none to take in.
 */
export async function takeInSplits(
  sql: Sql,
  quotes: readonly DatedQuote[],
  tradeDateOf: (timeMs: number) => string,
): Promise<void> {
  const found = await sql<NewSplit[]>`${newSplits(sql, quotes)}`
  if (found.length === 0) return
  await inTransaction(sql, async (tx) => {
    await tx`select from market_quotes where symbol = any(${found.map(({ symbol }) => symbol)}) order by symbol for update`
    for (const split of await tx<NewSplit[]>`${newSplits(tx, quotes)}`) await takeInSplit(tx, split, tradeDateOf)
  })
}

const newSplits = (db: Db, quotes: readonly DatedQuote[]) => db`
  select a.symbol, a.effective_at, a.ratio_from8, a.ratio_to8
  from unnest(${quotes.map(({ symbol }) => symbol)}::text[],
    ${quotes.map(({ timeMs }) => new Date(timeMs).toISOString())}::text[]::timestamptz[]) as i (symbol, source_time)
  join market_quotes q using (symbol)
  cross join lateral (
    select *, row_number() over (order by effective_at) as nth from market_corporate_actions
    where symbol = i.symbol and effective_at <= i.source_time
  ) a
  where a.nth > q.splits_counted and market_plays_splits()
  order by a.symbol, a.effective_at`

async function takeInSplit(tx: Tx, split: NewSplit, tradeDateOf: (timeMs: number) => string): Promise<void> {
  const { symbol, effective_at: at } = split
  const date = tradeDateOf(at.getTime())
  const [from, to] = [tx`${numeric(split.ratio_from8)}::numeric`, tx`${numeric(split.ratio_to8)}::numeric`]
  const prices = tx`open_price8 = greatest(round(open_price8 * ${from} / ${to}), 1),
    high_price8 = greatest(round(high_price8 * ${from} / ${to}), 1),
    low_price8 = greatest(round(low_price8 * ${from} / ${to}), 1)`
  const bar = tx`${prices}, close_price8 = greatest(round(close_price8 * ${from} / ${to}), 1),
    volume_wad = round(volume_wad * ${to} / ${from})`
  await tx`
    update market_minute_bars set ${bar}, volume_total_wad = round(volume_total_wad * ${to} / ${from})
    where symbol = ${symbol} and start_time = date_trunc('minute', ${at}::timestamptz, 'UTC') and start_time < ${at}`
  await tx`
    update market_candles set ${bar}
    where symbol = ${symbol} and start_time = date_bin(interval_sec * interval '1 second', ${at}::timestamptz, 'epoch')
      and start_time < ${at}`
  await tx`
    update market_daily_bars set ${bar}
    where symbol = ${symbol} and trade_date = ${date}::date and not recorded`
  await tx`
    update market_quotes set splits_counted = splits_counted + 1,
      volume_counter_wad = round(volume_counter_wad * ${to} / ${from}),
      volume_total_wad = round(volume_total_wad * ${to} / ${from})
    where symbol = ${symbol}`
  await tx`update market_quotes set ${prices} where symbol = ${symbol} and trade_date = ${date}::date`
}

/** Says of every quote that its market is closed; prices and source times stand as they are. */
export async function closeSession(sql: Sql): Promise<void> {
  await sql`update market_quotes set session = ${SESSION.closed} where session <> ${SESSION.closed}`
}

/** Counts a symbol's quote as a new one, so that its followers are told: what it stands for became another. */
export async function renewQuote(tx: Tx, symbol: string): Promise<void> {
  await tx`update market_quotes set version = version + 1 where symbol = ${symbol}`
}
