-- Written by: keeper. What the venue ordered from its broker, what was executed, and what it holds against its users' orders.

create function append_only_refusal() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end
$$;

create table broker_orders (
  chain_id bigint not null,
  client_order_id text not null check (length(client_order_id) between 1 and 128),
  broker text not null,
  -- Not a reference: a chain may know tokens that the market does not list; the broker refuses them.
  symbol text not null,
  side text not null check (side in ('buy', 'sell')),
  notional_wad numeric(78, 0) check (notional_wad > 0),
  quantity_wad numeric(78, 0) check (quantity_wad > 0),
  -- requested: stored, but no answer of the broker yet.
  status text not null default 'requested'
    check (status in ('requested', 'accepted', 'partially_filled', 'filled', 'canceled', 'expired', 'rejected')),
  broker_order_id text,
  reject_reason text,
  filled_quantity_wad numeric(78, 0) not null default 0,
  filled_cash_wad numeric(78, 0) not null default 0,
  submit_attempts integer not null default 0,
  next_submit_at timestamptz not null default now(),
  last_submit_error text,
  requested_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (chain_id, client_order_id),
  check ((side = 'buy') = (notional_wad is not null) and (side = 'sell') = (quantity_wad is not null))
);
create index broker_orders_requested on broker_orders (chain_id, next_submit_at) where status = 'requested';
create index broker_orders_open on broker_orders (chain_id, requested_at) where status in ('accepted', 'partially_filled');

create table broker_executions (
  chain_id bigint not null,
  execution_id text not null,
  client_order_id text not null,
  symbol text not null,
  side text not null,
  quantity_wad numeric(78, 0) not null check (quantity_wad > 0),
  price8 numeric(78, 0) not null check (price8 > 0),
  -- quantity × price, rounded down to 10^-18 USD.
  cash_wad numeric(78, 0) not null,
  -- What earlier executions of the order had filled.
  filled_before_wad numeric(78, 0) not null,
  executed_at timestamptz not null,
  recorded_at timestamptz not null default now(),
  primary key (chain_id, execution_id, executed_at)
) partition by range (executed_at);
create index broker_executions_order on broker_executions (chain_id, client_order_id);
create trigger append_only before update or delete on broker_executions for each row execute function append_only_refusal();

-- One row an execution: unique across the partitions above, and the queue of what is still to be settled.
create table execution_settlements (
  chain_id bigint not null,
  execution_id text not null,
  executed_at timestamptz not null,
  queue_position bigint generated always as identity,
  -- The transaction intent that settles it; null while open.
  intent_id bigint,
  primary key (chain_id, execution_id),
  foreign key (chain_id, execution_id, executed_at) references broker_executions deferrable initially deferred
);
create index execution_settlements_open on execution_settlements (chain_id, queue_position) where intent_id is null;
create index execution_settlements_intent on execution_settlements (chain_id, intent_id) where intent_id is not null;

create table broker_cursors (
  chain_id bigint not null,
  broker text not null,
  executions_cursor text,
  primary key (chain_id, broker)
);

-- The venue's hedge, signed: an execution adds what was bought, its settlement takes it off again.
create table hedge_ledger (
  chain_id bigint not null,
  entry_id bigint generated always as identity,
  kind text not null check (kind in ('execution', 'settlement', 'settlement_reopened')),
  symbol text not null,
  quantity_wad numeric(78, 0) not null,
  cash_wad numeric(78, 0) not null,
  execution_id text not null,
  intent_id bigint,
  recorded_at timestamptz not null default now(),
  primary key (chain_id, entry_id),
  foreign key (chain_id, execution_id) references execution_settlements
);
create index hedge_ledger_execution on hedge_ledger (chain_id, execution_id);
create trigger append_only before update or delete on hedge_ledger for each row execute function append_only_refusal();
