-- What the chain says of the stock product. Written by the indexer alone, through stock/events.ts; every change is undone
-- when its block is reorganised away. Amounts are raw integers: *_wad has 18 decimals, *_raw the decimals of its token,
-- *_ppm parts per million.

create table stock_tokens (
  chain_id bigint not null,
  token text not null,
  token_index integer not null,
  ticker text not null,
  symbol text not null,
  name text not null,
  tradable boolean not null,
  primary key (chain_id, token)
);

create table cash_tokens (
  chain_id bigint not null,
  token text not null,
  symbol text not null,
  decimals integer not null,
  supported boolean not null,
  min_amount_raw numeric(78, 0) not null default 0,
  usd_rate_e6 bigint not null default 0,
  deposit_paused boolean not null default false,
  withdraw_paused boolean not null default false,
  withdraw_buffer_raw numeric(78, 0) not null default 0,
  withdraw_buffer_capacity_raw numeric(78, 0) not null default 0,
  primary key (chain_id, token)
);

create table stock_settings (
  chain_id bigint not null primary key,
  credit_buffer_wad numeric(78, 0) not null default 0,
  credit_buffer_capacity_wad numeric(78, 0) not null default 0,
  instant_threshold_divisor integer not null default 1,
  deposit_fee_ppm integer not null default 0,
  withdraw_fee_ppm integer not null default 0,
  buy_third_party_ppm integer not null default 0,
  buy_protocol_ppm integer not null default 0,
  sell_third_party_ppm integer not null default 0,
  sell_protocol_ppm integer not null default 0,
  updated_at_sec bigint not null default 0
);

-- Transactions to, or logged by, the product's contracts. calldata_hash binds recipient, value and input.
create table stock_transactions (
  chain_id bigint not null,
  tx_hash text not null,
  block_number bigint not null,
  from_address text not null,
  to_address text,
  calldata_hash text not null,
  succeeded boolean not null,
  mined_at_sec bigint not null,
  primary key (chain_id, tx_hash)
);

-- amount is the notional (wad) of a buy and the quantity (wad) of a sell.
create table stock_orders (
  chain_id bigint not null,
  order_id text not null,
  user_address text not null,
  token text not null,
  side text not null check (side in ('Buy', 'Sell')),
  amount_wad numeric(78, 0) not null,
  locked_wad numeric(78, 0) not null,
  deadline_sec bigint not null,
  exit_at_sec bigint not null,
  status text not null check (status in ('open', 'filled', 'partially_filled', 'rejected', 'taken_back')),
  filled_quantity_wad numeric(78, 0) not null default 0,
  filled_notional_wad numeric(78, 0) not null default 0,
  third_party_fee_wad numeric(78, 0) not null default 0,
  protocol_fee_wad numeric(78, 0) not null default 0,
  refund_wad numeric(78, 0) not null default 0,
  reason_code integer not null default 0,
  create_tx_hash text not null,
  index_in_tx integer not null,
  -- How many orders the same transaction had placed before: 0 but for transactions that do several things.
  nth_in_tx integer not null,
  block_number bigint not null,
  created_at_sec bigint not null,
  last_settle_tx_hash text,
  closed_at_sec bigint,
  primary key (chain_id, order_id)
);
create index stock_orders_by_transaction on stock_orders (chain_id, create_tx_hash);
create index stock_orders_further on stock_orders (chain_id, create_tx_hash) where nth_in_tx > 0;
create index stock_orders_open on stock_orders (chain_id, created_at_sec) where status = 'open';

create table stock_fills (
  chain_id bigint not null,
  tx_hash text not null,
  index_in_tx integer not null,
  order_id text not null,
  quantity_wad numeric(78, 0) not null,
  price_wad numeric(78, 0) not null,
  notional_wad numeric(78, 0) not null,
  third_party_fee_wad numeric(78, 0) not null,
  protocol_fee_wad numeric(78, 0) not null,
  settled_at_sec bigint not null,
  primary key (chain_id, tx_hash, index_in_tx)
);
create index stock_fills_by_order on stock_fills (chain_id, order_id);

create table cash_operations (
  chain_id bigint not null,
  operation_id text not null,
  kind text not null check (kind in ('deposit', 'withdraw')),
  user_address text not null,
  token text not null,
  status text not null check (status in ('queued', 'settled', 'taken_back')),
  is_instant boolean not null,
  -- Token units: brought in by a deposit; paid by a withdrawal, null until it is.
  amount_raw numeric(78, 0),
  -- mUSD: credited by a deposit, null until it is; taken from the balance by a withdrawal.
  amount_wad numeric(78, 0),
  fee_wad numeric(78, 0) not null default 0,
  exit_at_sec bigint,
  create_tx_hash text not null,
  index_in_tx integer not null,
  -- How many operations of the kind the same transaction had made before.
  nth_in_tx integer not null,
  created_at_sec bigint not null,
  settle_tx_hash text,
  settled_at_sec bigint,
  primary key (chain_id, operation_id)
);
create index cash_operations_by_transaction on cash_operations (chain_id, create_tx_hash);
create index cash_operations_further on cash_operations (chain_id, create_tx_hash, kind) where nth_in_tx > 0;
create index cash_operations_queued on cash_operations (chain_id, created_at_sec) where status = 'queued';

-- The newest published price of each feed, as the contracts see it.
create table oracle_prices (
  chain_id bigint not null,
  price_id text not null,
  price_e8 numeric(78, 0) not null,
  feed_updated_at_sec bigint not null,
  published_at_sec bigint not null,
  primary key (chain_id, price_id)
);
