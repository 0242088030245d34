-- Written by: keeper. What the venue lists, the latest quotes, and the bars of the underlying market.

create table market_symbols (
  symbol text primary key check (symbol <> '' and symbol = upper(symbol)),
  name text not null,
  tradable boolean not null,
  fractionable boolean not null,
  overnight_tradable boolean not null,
  fractional_eh_enabled boolean not null,
  logo_url text not null,
  pdf_url text not null,
  -- The last price known before the venue's own first quote; its date when it was recorded.
  last_close_price8 numeric(78, 0) check (last_close_price8 > 0),
  last_close_date date
);

create table market_quotes (
  symbol text primary key references market_symbols,
  price8 numeric(78, 0) not null check (price8 > 0),
  bid8 numeric(78, 0) not null check (bid8 > 0),
  ask8 numeric(78, 0) not null check (ask8 >= bid8),
  source_time timestamptz not null,
  session smallint not null check (session between 0 and 4),
  trade_date date not null,
  open_price8 numeric(78, 0) not null,
  high_price8 numeric(78, 0) not null,
  low_price8 numeric(78, 0) not null,
  -- Last price of the trade date before this one.
  previous_close_price8 numeric(78, 0),
  -- Last price at or before 24 hours before source_time.
  reference_price8 numeric(78, 0),
  -- The source's running counter, and what of it the venue itself has watched pass.
  volume_counter_wad numeric(78, 0) not null check (volume_counter_wad >= 0),
  volume_total_wad numeric(78, 0) not null,
  volume_24h_wad numeric(78, 0) not null
);

-- Built from quotes as they arrive: a minute without a quote has no bar.
create table market_minute_bars (
  symbol text not null references market_symbols,
  start_time timestamptz not null,
  open_price8 numeric(78, 0) not null,
  high_price8 numeric(78, 0) not null,
  low_price8 numeric(78, 0) not null,
  close_price8 numeric(78, 0) not null,
  volume_wad numeric(78, 0) not null,
  -- market_quotes.volume_total_wad at the bar's end.
  volume_total_wad numeric(78, 0) not null,
  primary key (symbol, start_time)
) partition by range (start_time);

-- Recorded files, under their recorded dates.
create table market_daily_bars (
  symbol text not null references market_symbols,
  trade_date date not null,
  open_price8 numeric(78, 0) not null,
  high_price8 numeric(78, 0) not null,
  low_price8 numeric(78, 0) not null,
  close_price8 numeric(78, 0) not null,
  -- Null: the record has no volumes.
  volume_wad numeric(78, 0),
  primary key (symbol, trade_date)
) partition by range (trade_date);
