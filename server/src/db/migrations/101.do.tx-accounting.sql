-- What the database knows of its signers' transactions, against what the chain shows. A restored dump, or a replica that took
-- over while it lagged, stands behind the chain: what it still has queued may have been mined long ago.

-- Nonces below it are accounted for though no intent holds them: used before this database knew the signer, or judged by an
-- operator. Written by the relayer when it first sees a signer, and by `bourse intents resume`.
alter table tx_signers add column accounted_nonce bigint not null default 0;

-- While a row is there, nothing new is sent on the chain. Written by the relayer (database_behind_chain) and by
-- `bourse intents pause`, deleted by `bourse intents resume`.
create table tx_pauses (
  chain_id bigint primary key,
  reason text not null check (reason in ('operator', 'database_behind_chain')),
  detail text not null,
  paused_at timestamptz not null default clock_timestamp()
);

-- Set by `bourse intents release`: an operator has looked at the intent and lets it go on.
alter table tx_intents add column released_at timestamptz;

-- Transactions of our signers that the chain has and no intent accounts for. Written by the relayer with the pause. An intent
-- with the same call becomes the owner of one of them instead of being sent a second time.
create table tx_unaccounted (
  chain_id bigint not null,
  hash text not null,
  signer text not null,
  nonce bigint not null,
  to_address text not null,
  data text not null,
  value_wei numeric(78, 0) not null,
  block_number bigint not null,
  intent_id bigint,
  -- After this moment a new intent with the same call is a new wish, not a repetition; null until sending was resumed.
  match_until timestamptz,
  primary key (chain_id, hash),
  foreign key (chain_id, intent_id) references tx_intents (chain_id, id)
);
create index tx_unaccounted_call on tx_unaccounted (chain_id, to_address, md5(data)) where intent_id is null;
