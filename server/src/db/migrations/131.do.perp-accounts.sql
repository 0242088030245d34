-- What accounts of perpetuals hold and did, from the contracts' events. Written by the indexer alone (perp/events.ts).
--
-- nth numbers a list without gaps, newest highest: a page of it, and its length, are found by the index at any depth. A list that is
-- narrowed (to a pair, to a kind) has numbers of its own.

-- Limit orders. One is open from Place until Fill or Cancel; how much of an open one was taken is the contract's to say.
create table perp_orders (
  chain_id bigint not null,
  place_tx_hash text not null,
  place_index_in_tx integer not null,
  -- The public id, made of the two above (perp/indexing/order-id.ts): the same wherever a reorganisation puts the transaction.
  order_id bigint not null,
  instrument text not null,
  expiry bigint not null,
  trader text not null,
  tick integer not null,
  nonce integer not null,
  -- tick and nonce as the contract packs them.
  oid bigint not null,
  -- Positive buys.
  size_wad numeric(78, 0) not null,
  balance_wad numeric(78, 0) not null,
  price_wad numeric(78, 0) not null,
  block_number bigint not null,
  placed_at_sec bigint not null,
  status text not null check (status in ('open', 'filled', 'cancelled', 'partial_filled')),
  -- What of it became position when it closed: size, notional, the margin that went with it and the maker's rebate; and the
  -- tip to whoever filled it for its owner.
  filled_size_wad numeric(78, 0) not null default 0,
  filled_notional_wad numeric(78, 0) not null default 0,
  filled_balance_wad numeric(78, 0) not null default 0,
  rebate_wad numeric(78, 0) not null default 0,
  tip_wad numeric(78, 0) not null default 0,
  -- The contract's event that closed it: Fill or Cancel.
  close_event text,
  close_tx_hash text,
  closed_at_sec bigint,
  -- Places among the trader's closed orders.
  nth bigint,
  nth_of_pair bigint,
  primary key (chain_id, place_tx_hash, place_index_in_tx),
  constraint perp_orders_closed check ((status = 'open') = (nth is null) and (nth is null) = (closed_at_sec is null))
);
create unique index perp_orders_open on perp_orders (chain_id, instrument, expiry, trader, tick, nonce) where status = 'open';
create index perp_orders_open_of_trader on perp_orders (chain_id, trader, instrument, expiry) where status = 'open';
create index perp_orders_by_id on perp_orders (chain_id, trader, order_id);
create unique index perp_orders_nth on perp_orders (chain_id, trader, nth);
create unique index perp_orders_nth_of_pair on perp_orders (chain_id, trader, instrument, expiry, nth_of_pair);
create index perp_orders_time on perp_orders (chain_id, trader, closed_at_sec, nth);
create index perp_orders_time_of_pair on perp_orders (chain_id, trader, instrument, expiry, closed_at_sec, nth_of_pair);

-- The main position of each account in each pair, as UpdatePosition left it; a closed one stays with zeros.
create table perp_positions (
  chain_id bigint not null,
  instrument text not null,
  expiry bigint not null,
  trader text not null,
  balance_wad numeric(78, 0) not null,
  -- Positive is long.
  size_wad numeric(78, 0) not null,
  entry_notional_wad numeric(78, 0) not null,
  entry_social_loss_index numeric(78, 0) not null,
  entry_funding_index numeric(78, 0) not null,
  update_tx_hash text not null,
  updated_at_sec bigint not null,
  primary key (chain_id, instrument, expiry, trader)
);
create index perp_positions_of_trader on perp_positions (chain_id, trader, instrument, expiry);

-- Liquidity that is in the curve now.
create table perp_ranges (
  chain_id bigint not null,
  instrument text not null,
  expiry bigint not null,
  trader text not null,
  tick_lower integer not null,
  tick_upper integer not null,
  liquidity numeric(78, 0) not null,
  entry_fee_index numeric(78, 0) not null,
  balance_wad numeric(78, 0) not null,
  sqrt_entry_px96 numeric(78, 0) not null,
  update_tx_hash text not null,
  updated_at_sec bigint not null,
  primary key (chain_id, instrument, expiry, trader, tick_lower, tick_upper)
);
create index perp_ranges_of_trader on perp_ranges (chain_id, trader, instrument, expiry);

-- Liquidity added and removed.
create table perp_liquidity_events (
  chain_id bigint not null,
  tx_hash text not null,
  index_in_tx integer not null,
  kind text not null check (kind in ('add', 'remove')),
  instrument text not null,
  expiry bigint not null,
  trader text not null,
  tick_lower integer not null,
  tick_upper integer not null,
  -- Margin put in; of a removal what came out of the range, its fee in it and the tip to whoever removed it taken off.
  amount_wad numeric(78, 0) not null,
  fee_wad numeric(78, 0) not null,
  tip_wad numeric(78, 0) not null,
  -- The curve's price at that moment.
  fair_price_wad numeric(78, 0) not null,
  block_number bigint not null,
  at_sec bigint not null,
  nth bigint not null,
  nth_of_pair bigint not null,
  primary key (chain_id, tx_hash, index_in_tx)
);
create unique index perp_liquidity_nth on perp_liquidity_events (chain_id, trader, nth);
create unique index perp_liquidity_nth_of_pair on perp_liquidity_events (chain_id, trader, instrument, expiry, nth_of_pair);
create index perp_liquidity_time on perp_liquidity_events (chain_id, trader, at_sec, nth);
create index perp_liquidity_time_of_pair
  on perp_liquidity_events (chain_id, trader, instrument, expiry, at_sec, nth_of_pair);

-- Every movement of an account's money.
--   deposit, withdraw   between wallet and Gate
--   request, release    a withdrawal that has to wait leaves the reserve, and comes out of the wait to be withdrawn
--   scatter, gather     between Gate and a pair
--   funding, fee, tip   inside a pair; positive is received, negative paid
create table perp_ledger (
  chain_id bigint not null,
  tx_hash text not null,
  index_in_tx integer not null,
  kind text not null
    check (kind in ('deposit', 'withdraw', 'request', 'release', 'scatter', 'gather', 'funding', 'fee', 'tip')),
  trader text not null,
  token text not null,
  -- What Gate moves is in token units, what a pair moves inside has 18 decimals.
  amount_raw numeric(78, 0),
  amount_wad numeric(78, 0),
  instrument text,
  expiry bigint,
  block_number bigint not null,
  at_sec bigint not null,
  nth bigint not null,
  nth_of_kind bigint not null,
  -- Among those with a wallet at one end (deposit, withdraw), or a pair (scatter, gather); null for the other kinds.
  side text generated always as (
    case when kind in ('deposit', 'withdraw') then 'wallet' when kind in ('scatter', 'gather') then 'pair' end
  ) stored,
  nth_of_side bigint,
  primary key (chain_id, tx_hash, index_in_tx, kind),
  constraint perp_ledger_amount check ((amount_raw is null) <> (amount_wad is null)),
  constraint perp_ledger_side check ((nth_of_side is not null) = (side is not null))
);
create unique index perp_ledger_nth on perp_ledger (chain_id, trader, nth);
create unique index perp_ledger_nth_of_kind on perp_ledger (chain_id, trader, kind, nth_of_kind);
create unique index perp_ledger_nth_of_side on perp_ledger (chain_id, trader, side, nth_of_side);
create index perp_ledger_time on perp_ledger (chain_id, trader, at_sec, nth);
create index perp_ledger_time_of_kind on perp_ledger (chain_id, trader, kind, at_sec, nth_of_kind);
create index perp_ledger_time_of_side on perp_ledger (chain_id, trader, side, at_sec, nth_of_side);

-- Withdrawals that wait, by token: Gate keeps one sum for each account.
create table perp_pending_withdrawals (
  chain_id bigint not null,
  token text not null,
  trader text not null,
  amount_raw numeric(78, 0) not null,
  since_sec bigint not null,
  primary key (chain_id, token, trader)
);
