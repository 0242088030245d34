-- Written by: keeper. Bars of every interval beside those of a minute, and each bar as the wire has it.

-- `begin,open,high,low,close,volume` in Unix seconds and plain decimals of USD and shares: answers of thousands of bars are
-- read as text.
create function market_bar_text(begins timestamptz, open8 numeric, high8 numeric, low8 numeric, close8 numeric,
  volume_wad numeric)
returns text language sql immutable parallel safe as $$
  select extract(epoch from begins - timestamptz '1970-01-01 00:00:00+00')::bigint || ',' || trim_scale(open8 * 0.00000001)::text || ',' || trim_scale(high8 * 0.00000001)::text || ','
    || trim_scale(low8 * 0.00000001)::text || ',' || trim_scale(close8 * 0.00000001)::text || ','
    || coalesce(trim_scale(volume_wad * 0.000000000000000001)::text, 'null')
$$;

alter table market_minute_bars add column bar_text text not null generated always as
  (market_bar_text(start_time, open_price8, high_price8, low_price8, close_price8, volume_wad)) stored;

-- 3 minutes to an hour, from the same quotes as the bars of a minute; they begin at whole multiples since the epoch.
create table market_candles (
  symbol text not null references market_symbols,
  interval_sec integer not null,
  start_time timestamptz not null,
  open_price8 numeric(78, 0) not null,
  high_price8 numeric(78, 0) not null,
  low_price8 numeric(78, 0) not null,
  close_price8 numeric(78, 0) not null,
  volume_wad numeric(78, 0) not null,
  bar_text text not null generated always as
    (market_bar_text(start_time, open_price8, high_price8, low_price8, close_price8, volume_wad)) stored,
  primary key (symbol, interval_sec, start_time)
) partition by range (start_time);

-- Days after the last recorded one are the venue's own, one bar a trade date. Dates begin at midnight in New York.
alter table market_daily_bars add column recorded boolean not null default true;
alter table market_daily_bars alter column recorded drop default;
alter table market_daily_bars add column bar_text text not null generated always as
  (market_bar_text(trade_date::timestamp at time zone 'America/New_York', open_price8, high_price8, low_price8,
    close_price8, volume_wad)) stored;

create table market_weekly_bars (
  symbol text not null references market_symbols,
  -- The Monday of the week that its trade dates lie in.
  week_start date not null,
  open_price8 numeric(78, 0) not null,
  high_price8 numeric(78, 0) not null,
  low_price8 numeric(78, 0) not null,
  close_price8 numeric(78, 0) not null,
  -- Null: the volume of one of its days was not recorded.
  volume_wad numeric(78, 0),
  bar_text text not null generated always as
    (market_bar_text(week_start::timestamp at time zone 'America/New_York', open_price8, high_price8, low_price8,
      close_price8, volume_wad)) stored,
  primary key (symbol, week_start)
) partition by range (week_start);

-- What a venue has watched so far, always in an always open market. Partitions have the names and bounds the keeper gives.
do $$
declare
  first date;
begin
  for first in
    select distinct date_trunc('year', start_time at time zone 'UTC')::date from market_minute_bars
  loop
    execute format('create table %I partition of market_candles for values from (%L) to (%L)',
      'market_candles_' || to_char(first, 'YYYY_MM'), first || ' 00:00:00+00',
      (first + interval '1 year')::date || ' 00:00:00+00');
  end loop;
  for first in
    with days as (
      select (start_time at time zone 'America/New_York')::date as day from market_minute_bars
      union select trade_date from market_daily_bars
    )
    -- A week may begin in the decade before.
    select distinct make_date(extract(year from day - ahead)::integer / 10 * 10, 1, 1)
    from days cross join generate_series(0, 6) as ahead
  loop
    execute format('create table if not exists %I partition of market_daily_bars for values from (%L) to (%L)',
      'market_daily_bars_' || to_char(first, 'YYYY_MM'), first || ' 00:00:00+00',
      (first + interval '10 years')::date || ' 00:00:00+00');
    execute format('create table %I partition of market_weekly_bars for values from (%L) to (%L)',
      'market_weekly_bars_' || to_char(first, 'YYYY_MM'), first || ' 00:00:00+00',
      (first + interval '10 years')::date || ' 00:00:00+00');
  end loop;
end
$$;

insert into market_candles
  (symbol, interval_sec, start_time, open_price8, high_price8, low_price8, close_price8, volume_wad)
select symbol, interval_sec, date_bin(interval_sec * interval '1 second', start_time, 'epoch') as start,
  (array_agg(open_price8 order by start_time))[1], max(high_price8), min(low_price8),
  (array_agg(close_price8 order by start_time desc))[1], sum(volume_wad)
from market_minute_bars cross join unnest(array[180, 300, 900, 3600]) as interval_sec group by symbol, interval_sec, start;

insert into market_daily_bars
  (symbol, trade_date, recorded, open_price8, high_price8, low_price8, close_price8, volume_wad)
select symbol, (start_time at time zone 'America/New_York')::date as day, false,
  (array_agg(open_price8 order by start_time))[1], max(high_price8), min(low_price8),
  (array_agg(close_price8 order by start_time desc))[1], sum(volume_wad)
from market_minute_bars join market_symbols using (symbol)
where (start_time at time zone 'America/New_York')::date > coalesce(last_close_date, '-infinity')
group by symbol, day;

insert into market_weekly_bars (symbol, week_start, open_price8, high_price8, low_price8, close_price8, volume_wad)
select symbol, trade_date - extract(isodow from trade_date)::integer + 1 as monday,
  (array_agg(open_price8 order by trade_date))[1], max(high_price8), min(low_price8),
  (array_agg(close_price8 order by trade_date desc))[1], case when count(volume_wad) = count(*) then sum(volume_wad) end
from market_daily_bars group by symbol, monday;
