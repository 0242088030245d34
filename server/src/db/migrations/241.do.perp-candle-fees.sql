-- Trading fees of what was traded in a candle: what takers paid to ranges and to resting orders, without the protocol's part. They stand
-- beside the volume so that a day's fees are read as its volume is, whatever the number of trades.
alter table perp_candles add column trade_fee_wad numeric(78, 0) not null default 0;

-- Of what was traded before. The triggers of an indexer let nothing be written outside of a block.
alter table perp_candles disable trigger user;
with lengths (interval, seconds, origin) as (
  values ('1m', 60, 0), ('5m', 300, 0), ('15m', 900, 0), ('30m', 1800, 0), ('1h', 3600, 0), ('4h', 14400, 0), ('8h', 28800, 0),
    ('12h', 43200, 0), ('1d', 86400, 0), ('1w', 604800, 345600), ('1M', null, null)
), paid as (
  select chain_id, instrument, expiry, interval,
    case when interval = '1M' then extract(epoch from date_trunc('month', to_timestamp(at_sec), 'UTC'))::bigint
      else at_sec - mod(at_sec - origin, seconds) end as start_sec,
    sum(trade_fee_wad) as fee_wad
  from perp_executions cross join lengths where event in ('Trade', 'Sweep')
  group by 1, 2, 3, 4, 5
)
update perp_candles c set trade_fee_wad = paid.fee_wad from paid
where c.chain_id = paid.chain_id and c.instrument = paid.instrument and c.expiry = paid.expiry
  and c.interval = paid.interval and c.start_sec = paid.start_sec;
alter table perp_candles enable trigger user;
