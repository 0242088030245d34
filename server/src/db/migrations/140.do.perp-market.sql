-- What charts of perpetual pairs are drawn from. Written by the indexer alone (perp/market-data/recording.ts); amounts and
-- prices ending in _wad have 18 decimals.

-- Candles of the pairs' trades, for every interval: a read costs the same however many trades there were. Where nothing was
-- traded there is no row.
create table perp_candles (
  chain_id bigint not null,
  instrument text not null,
  expiry bigint not null,
  interval text not null check (interval in ('1m', '5m', '15m', '30m', '1h', '4h', '8h', '12h', '1d', '1w', '1M')),
  -- The first second of it, UTC.
  start_sec bigint not null,
  open_wad numeric(78, 0) not null,
  high_wad numeric(78, 0) not null,
  low_wad numeric(78, 0) not null,
  close_wad numeric(78, 0) not null,
  base_volume_wad numeric(78, 0) not null,
  quote_volume_wad numeric(78, 0) not null,
  primary key (chain_id, instrument, expiry, interval, start_sec)
);

-- The funding indices of perpetual pairs as each hour left them in which they moved, with the last mark price.
create table perp_funding_hours (
  chain_id bigint not null,
  instrument text not null,
  hour_sec bigint not null,
  long_index numeric(78, 0) not null,
  short_index numeric(78, 0) not null,
  mark_wad numeric(78, 0) not null,
  primary key (chain_id, instrument, hour_sec)
);
