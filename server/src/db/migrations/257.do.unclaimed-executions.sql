-- Written by: keeper. Executions in the broker's books that the venue has no order for: somebody else's, or of an order that a database which
-- lost its newest commits has still to take again (market/broker-orders.ts). They are recorded once the order is stored.
create table unclaimed_executions (
  chain_id bigint not null,
  execution_id text not null,
  client_order_id text not null,
  symbol text not null,
  side text not null,
  quantity_wad numeric(78, 0) not null check (quantity_wad > 0),
  price8 numeric(78, 0) not null check (price8 > 0),
  executed_at timestamptz not null,
  -- The order of the broker's books.
  place bigint generated always as identity,
  read_at timestamptz not null default now(),
  primary key (chain_id, execution_id)
);
create index unclaimed_executions_order on unclaimed_executions (chain_id, client_order_id);
