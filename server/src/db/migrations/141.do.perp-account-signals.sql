-- That something of an account has changed, for whoever follows it. Written by the indexer alone (perp/streams/signals.ts).
create table perp_account_signals (
  chain_id bigint not null,
  block_number bigint not null,
  -- Order within the block.
  nth integer not null,
  trader text not null,
  kind text not null check (kind in ('order', 'range', 'position', 'gate')),
  instrument text,
  expiry bigint,
  -- Of an order: tick and generation as the contract packs them, its public id, and what became of it.
  oid bigint,
  order_id bigint,
  order_change text check (order_change in ('placed', 'filled', 'canceled')),
  primary key (chain_id, block_number, nth)
);
create index perp_account_signals_of_trader on perp_account_signals (chain_id, trader, block_number, nth);
