-- One Click delegations as the chain says. Written by the indexer alone, through delegation/events.ts.
create table delegations (
  chain_id bigint not null,
  -- The OneClickRouter; each product has its own.
  router text not null,
  user_address text not null,
  -- Who may act as the user; null for nobody.
  delegatee text,
  -- The nonce that the next signature must carry.
  next_nonce numeric(78, 0) not null,
  changed_tx_hash text not null,
  changed_at_sec bigint not null,
  primary key (chain_id, router, user_address)
);
