-- Written by: keeper. The simulated market's own memory: where its price paths begin, and its broker's books.

create table simulator_paths (
  seed text not null,
  symbol text not null references market_symbols,
  price8 numeric(78, 0) not null check (price8 > 0),
  start_time timestamptz not null,
  -- Date of the recorded close the path goes on from; null when it starts from another price.
  continues_date date,
  primary key (seed, symbol)
);

create table simulated_broker_orders (
  client_order_id text primary key,
  broker_order_id text not null unique,
  symbol text not null,
  side text not null,
  notional_wad numeric(78, 0),
  quantity_wad numeric(78, 0),
  status text not null,
  reject_reason text,
  fill_time timestamptz not null
);
create index simulated_broker_orders_open on simulated_broker_orders (fill_time) where status = 'accepted';

create table simulated_broker_executions (
  position bigint primary key,
  execution_id text not null unique,
  client_order_id text not null unique references simulated_broker_orders,
  symbol text not null,
  side text not null,
  quantity_wad numeric(78, 0) not null,
  price8 numeric(78, 0) not null,
  executed_at timestamptz not null
);
