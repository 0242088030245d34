-- Transaction intents: inserted by api and keeper; everything below the line is written by the relayer alone, which
-- also inserts the no-ops that close a gap among a signer's nonces.
create table tx_intents (
  chain_id bigint not null,
  id bigint generated always as identity,
  purpose text not null,
  -- Two inserts with one key are one intent.
  dedupe_key text not null,
  -- Intents with one key are sent in order of insertion.
  ordering_key text,
  to_address text not null check (to_address ~ '^0x[0-9a-f]{40}$'),
  data text not null check (data like '0x%' and length(data) % 2 = 0),
  value_wei numeric(78, 0) not null check (value_wei >= 0),
  gas_limit bigint check (gas_limit > 0),
  created_at timestamptz not null default clock_timestamp(),
  -----------------------------------------------------------------------------------------------------------------
  state text not null default 'queued'
    check (state in ('queued', 'signed', 'broadcast', 'mined', 'final', 'rejected', 'failed')),
  state_at timestamptz not null default clock_timestamp(),
  signer text,
  nonce bigint check (nonce >= 0),
  -- Every hand-over of signed bytes to a node is counted before it happens, every refusal after it: when both are equal
  -- no node can hold the bytes, and only then may the intent leave its nonce.
  broadcasts integer not null default 0,
  refusals integer not null default 0,
  next_broadcast_at timestamptz,
  -- The head at which the nonce was first seen used by a transaction that is none of ours.
  nonce_passed_block bigint,
  outcome text check (outcome in ('succeeded', 'reverted')),
  tx_hash text,
  block_number bigint,
  block_hash text,
  gas_used bigint,
  revert_data text,
  problem text,
  primary key (chain_id, id),
  unique (chain_id, dedupe_key),
  unique (chain_id, signer, nonce),
  check ((nonce is null) = (state in ('queued', 'rejected'))),
  check (nonce is null or signer is not null),
  check ((block_number is not null) = (state in ('mined', 'final'))),
  check ((outcome is not null) = (state in ('mined', 'final')))
);

create index tx_intents_queued on tx_intents (chain_id, purpose, id) where state = 'queued';
create index tx_intents_open on tx_intents (chain_id, signer, nonce) where state in ('signed', 'broadcast', 'mined');
create index tx_intents_ordering on tx_intents (chain_id, ordering_key, id)
  where ordering_key is not null and state in ('queued', 'signed', 'broadcast', 'mined');

-- Signed bytes, committed before a node sees them. An intent has several when its fee was raised.
create table tx_attempts (
  chain_id bigint not null,
  intent_id bigint not null,
  hash text not null,
  signer text not null,
  nonce bigint not null,
  raw_tx text not null,
  gas_limit bigint not null,
  max_fee_wei numeric(78, 0) not null,
  max_priority_fee_wei numeric(78, 0) not null,
  -- The chain's head when the bytes were signed: a transaction is stuck when enough blocks passed it by.
  head_number bigint not null,
  signed_at timestamptz not null default clock_timestamp(),
  last_answer text check (last_answer in ('accepted', 'nonce_too_low', 'refused', 'unknown')),
  last_message text,
  -- True when the intent left this nonce because every node refused these bytes.
  released boolean not null default false,
  primary key (chain_id, intent_id, hash),
  foreign key (chain_id, intent_id) references tx_intents (chain_id, id)
);

create index tx_attempts_hash on tx_attempts (chain_id, hash);

-- What the relayer last saw of each of its signers, for /status.
create table tx_signers (
  chain_id bigint not null,
  address text not null,
  purposes text[] not null,
  balance_wei numeric(78, 0),
  chain_nonce bigint,
  -- Why nothing new is sent; null while it works.
  stopped_reason text,
  seen_at timestamptz not null default clock_timestamp(),
  primary key (chain_id, address)
);
