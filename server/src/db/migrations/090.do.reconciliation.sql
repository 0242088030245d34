-- Written by: keeper. The readings of broker, database and chain side by side, and what each was compared to; the newest ones
-- are kept (stock/reconciliation/reading-store.ts).

create table reconciliation_readings (
  chain_id bigint not null,
  reading_id bigint generated always as identity,
  -- The block at which chain and database were read: the indexer's newest.
  block_number bigint not null,
  block_hash text not null,
  read_at timestamptz not null default now(),
  duration_ms integer not null,
  primary key (chain_id, reading_id)
);

create table reconciliation_lines (
  chain_id bigint not null,
  reading_id bigint not null,
  ordinal integer not null,
  section text not null,
  -- A ticker, a symbol of a cash token, or what else is compared.
  subject text not null,
  comparison text not null,
  -- Amounts are integers with so many decimals of the unit; null where a side has no word on it.
  unit text not null,
  decimals integer not null,
  broker_amount numeric(78, 0),
  database_amount numeric(78, 0),
  chain_amount numeric(78, 0),
  -- [{"name": …, "amount": "…"}]: what explains that the sides are not equal.
  in_flight jsonb not null,
  difference numeric(78, 0) not null,
  -- What the difference is; null when there is none.
  cause text,
  -- Ids and addresses that the difference is about, the first few.
  details text[] not null,
  -- Readings in a row with a difference of this sign, this one too, and when the first of them was.
  readings_in_a_row integer not null,
  since timestamptz,
  primary key (chain_id, reading_id, ordinal),
  foreign key (chain_id, reading_id) references reconciliation_readings on delete cascade,
  check ((difference = 0) = (cause is null)),
  check ((difference = 0) = (readings_in_a_row = 0)),
  check ((difference = 0) = (since is null))
);

-- What the Cashier holds of a cash token beyond what the venue's own records explain (what the operator put in), as of a
-- reading without a difference: the next one is measured by it.
create table reconciliation_cash (
  chain_id bigint not null,
  token text not null,
  block_number bigint not null,
  block_hash text not null,
  -- Token units paid out (or, negative, taken in) by settlements, and collected by the operator, since the first reading.
  settled_raw numeric(78, 0) not null,
  collected_raw numeric(78, 0) not null,
  operator_raw numeric(78, 0) not null,
  primary key (chain_id, token)
);

-- A token's supply is a line of a reading now.
drop table token_supply;
