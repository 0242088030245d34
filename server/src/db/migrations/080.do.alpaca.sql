-- Written by: keeper. Where the venue's market comes from, and its copy of the books of a broker at Alpaca.

-- A database belongs to one market for ever: what one broker executed, another does not hold.
create table market_origin (
  only_row boolean primary key default true check (only_row),
  -- simulator, or alpaca and the id of the account.
  origin text not null
);
insert into market_origin (origin) select 'simulator' where exists (select from simulator_paths);

create table alpaca_orders (
  client_order_id text primary key,
  -- What was ordered, in one text: an id names one order for ever.
  terms text not null,
  symbol text not null,
  side text not null check (side in ('buy', 'sell')),
  -- When the venue wants the order ended; null: when the broker's day ends. Unknown of orders that are not the venue's.
  expires_at timestamptz,
  -- When an order was last sent that has no answer yet; it may stand at the broker or not.
  unanswered_at timestamptz,
  -- Null until the broker has answered for the order.
  status text check (status in ('accepted', 'partially_filled', 'filled', 'canceled', 'expired', 'rejected')),
  broker_order_id text,
  -- Ended here because it did not stand at the broker: should it appear there after all, it is cancelled.
  ended_unsent boolean not null default false,
  reject_reason text,
  filled_quantity_wad numeric(78, 0) not null default 0,
  -- What the journal below holds of it.
  journaled_quantity_wad numeric(78, 0) not null default 0,
  cancel_asked boolean not null default false,
  submitted_at timestamptz,
  -- The broker's own time of its last change.
  changed_at timestamptz
);
create unique index alpaca_orders_broker on alpaca_orders (broker_order_id);
create index alpaca_orders_open on alpaca_orders (submitted_at) where status in ('accepted', 'partially_filled');
create index alpaca_orders_behind on alpaca_orders (submitted_at) where filled_quantity_wad <> journaled_quantity_wad;

-- Every execution of the account, in the order in which they were learned of. Written under a lock, so that a position that
-- is seen never comes after one that is not.
create table alpaca_executions (
  position bigint generated always as identity primary key,
  execution_id text not null unique,
  client_order_id text not null,
  symbol text not null,
  side text not null check (side in ('buy', 'sell')),
  quantity_wad numeric(78, 0) not null check (quantity_wad > 0),
  price8 numeric(78, 0) not null check (price8 > 0),
  executed_at timestamptz not null
);
create index alpaca_executions_time on alpaca_executions (executed_at);
