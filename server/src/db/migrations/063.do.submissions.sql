-- Intents that API keys have asked for, with the gas that each may use: the budget of a key counts them. Written by the
-- role api, in the transaction of the intent.
create table submissions (
  chain_id bigint not null,
  intent_id bigint not null,
  api_key_id text not null,
  user_address text not null,
  gas_reserved bigint not null check (gas_reserved > 0),
  created_at timestamptz not null default clock_timestamp(),
  primary key (chain_id, intent_id),
  foreign key (chain_id, intent_id) references tx_intents (chain_id, id)
);
create index submissions_by_key on submissions (chain_id, api_key_id, created_at);
