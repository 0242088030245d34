-- What perpetual contracts have logged. Written by the indexer alone (perp/events.ts). Amounts and prices ending in _wad
-- have 18 decimals; addresses are lower-case.

-- Instruments by Gate's factory, with what their events have set. Until the instrument has a name it has not been announced:
-- its first settings are logged while it is created. Margin ratios and the funding hour are null while the contract's
-- defaults hold.
create table perp_instruments (
  chain_id bigint not null,
  instrument text not null,
  -- BASE-QUOTE-TYPE, as the contract has it.
  symbol text,
  base text,
  quote text,
  -- Place in Gate's list, from 0.
  ordinal integer,
  created_at_sec bigint,
  condition smallint not null default 0,
  min_margin_wad numeric(78, 0) not null default 0,
  trading_fee_bps integer not null default 0,
  protocol_fee_bps integer not null default 0,
  quote_type smallint not null default 0,
  tip_wad numeric(78, 0) not null default 0,
  initial_margin_bps integer,
  maintenance_margin_bps integer,
  funding_hour smallint,
  primary key (chain_id, instrument)
);

-- The pairs of an instrument, by expiry, as their events leave them.
create table perp_pairs (
  chain_id bigint not null,
  instrument text not null,
  expiry bigint not null,
  -- 1 TRADING, 2 SETTLING, 3 SETTLED.
  status smallint not null,
  sqrt_px96 numeric(78, 0) not null,
  mark_wad numeric(78, 0) not null,
  fee_index numeric(78, 0) not null default 0,
  protocol_fee_wad numeric(78, 0) not null default 0,
  long_social_loss_index numeric(78, 0) not null default 0,
  short_social_loss_index numeric(78, 0) not null default 0,
  long_funding_index numeric(78, 0) not null default 0,
  short_funding_index numeric(78, 0) not null default 0,
  insurance_fund_wad numeric(78, 0) not null default 0,
  updated_at_sec bigint not null,
  primary key (chain_id, instrument, expiry)
);

-- Everything that changed a trader's size at a price. Of what happens on the curve and in the book (prices, volume) only
-- `market` and `liquidation` by Sweep tell; the other kinds hand over what was traded before.
--   market       a Trade
--   fill         a limit order that was taken, when it is claimed (Fill) or cancelled (Cancel)
--   range        what a removed range leaves (Remove)
--   liquidation  what an account loses (Sweep, Liquidate)
--   take_over    the same, for who takes it over (Liquidate)
create table perp_executions (
  chain_id bigint not null,
  tx_hash text not null,
  index_in_tx integer not null,
  kind text not null check (kind in ('market', 'fill', 'range', 'liquidation', 'take_over')),
  -- The contract's event.
  event text not null,
  instrument text not null,
  expiry bigint not null,
  trader text not null,
  -- Positive buys.
  size_wad numeric(78, 0) not null check (size_wad <> 0),
  -- What the size cost or brought, and per unit of base, cut.
  notional_wad numeric(78, 0) not null,
  price_wad numeric(78, 0) not null,
  -- The part against resting orders; 0 where none is told.
  taken_size_wad numeric(78, 0) not null,
  taken_notional_wad numeric(78, 0) not null,
  -- Paid, or received where negative. Together they are what the position was charged.
  trade_fee_wad numeric(78, 0) not null,
  protocol_fee_wad numeric(78, 0) not null,
  -- The oracle's price where the event names it, and the curve's price afterwards.
  mark_wad numeric(78, 0),
  sqrt_px96 numeric(78, 0),
  block_number bigint not null,
  at_sec bigint not null,
  -- How many-th of the trader's, and of the trader's in this pair: pages are found by these, without gaps.
  nth bigint not null,
  nth_of_pair bigint not null,
  primary key (chain_id, tx_hash, index_in_tx, kind)
);
create unique index perp_executions_nth on perp_executions (chain_id, trader, nth);
create unique index perp_executions_nth_of_pair
  on perp_executions (chain_id, trader, instrument, expiry, nth_of_pair);
create index perp_executions_time on perp_executions (chain_id, trader, at_sec, nth);
create index perp_executions_time_of_pair
  on perp_executions (chain_id, trader, instrument, expiry, at_sec, nth_of_pair);
-- The trades of a pair, newest last: prices and volume.
create index perp_executions_of_pair on perp_executions (chain_id, instrument, expiry, block_number)
  where event in ('Trade', 'Sweep');
