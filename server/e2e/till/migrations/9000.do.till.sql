-- What the till has been paid, by the chain.
create table till_receipts (
  chain_id bigint not null,
  tx_hash text not null,
  log_index int not null,
  payer text not null,
  amount_raw numeric(78, 0) not null,
  block_number bigint not null,
  block_time_sec bigint not null,
  primary key (chain_id, tx_hash, log_index)
);
-- Its keeper's sum of them: `changes` counts how often it has changed.
create table till_totals (
  chain_id bigint primary key,
  amount_raw numeric(78, 0) not null,
  block_number bigint not null,
  block_time_sec bigint not null,
  changes bigint not null
);
create table till_notes (
  id bigint generated always as identity primary key,
  api_key_id text not null,
  note text not null
);
-- What wallets want back, each by its own signature.
create table till_refunds (
  id bigint generated always as identity primary key,
  wallet text not null,
  amount_raw numeric(78, 0) not null
);
