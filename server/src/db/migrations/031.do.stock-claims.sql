-- Which API key recorded which transaction as what. Written by the role api. A mapping is a claim joined to the indexer's
-- rows by transaction hash; nothing of the chain is copied here.
create table stock_claims (
  claim_id uuid primary key,
  chain_id bigint not null,
  api_key_id text not null,
  tx_hash text not null,
  operation_type text not null check (operation_type in ('trade', 'deposit', 'withdraw')),
  -- The wallet the key was bound to when it recorded the transaction; null for an unbound key.
  user_address text,
  created_at timestamptz not null default now(),
  unique (chain_id, tx_hash, operation_type, api_key_id)
);
create index stock_claims_by_key on stock_claims (chain_id, api_key_id, operation_type, created_at desc, claim_id);

-- What an unbound key has built: it may record only transactions that carry exactly this.
create table stock_built_calldata (
  chain_id bigint not null,
  api_key_id text not null,
  calldata_hash text not null,
  created_at timestamptz not null default now(),
  primary key (chain_id, api_key_id, calldata_hash)
);

-- A claim joined to the operations of its transaction that it is entitled to: those of the key's bound user; for an
-- unbound key those of a transaction that carries calldata it built, unless a claim of the user's own key outranks it.
-- Among equals the earliest claim wins. A claim without a row of the chain yet has null operation columns.
create view stock_mappings as
select
  c.claim_id, c.chain_id, c.api_key_id, c.tx_hash, c.operation_type, c.user_address as bound_address, c.created_at,
  t.succeeded, t.mined_at_sec, op.operation_id, op.user_address, coalesce(op.index_in_tx, 0) as index_in_tx
from stock_claims c
left join stock_transactions t on t.chain_id = c.chain_id and t.tx_hash = c.tx_hash
left join lateral (
  select o.order_id as operation_id, o.user_address, o.index_in_tx
  from stock_orders o
  where o.chain_id = c.chain_id and o.create_tx_hash = c.tx_hash and c.operation_type = 'trade'
  union all
  select o.operation_id, o.user_address, o.index_in_tx
  from cash_operations o
  where o.chain_id = c.chain_id and o.create_tx_hash = c.tx_hash and o.kind = c.operation_type
) op on
  (
    c.user_address = op.user_address
    or c.user_address is null and exists (
      select from stock_built_calldata b
      where b.chain_id = c.chain_id and b.api_key_id = c.api_key_id and b.calldata_hash = t.calldata_hash
    )
  )
  and not exists (
    select from stock_claims better
    where better.chain_id = c.chain_id and better.tx_hash = c.tx_hash and better.operation_type = c.operation_type
      and better.api_key_id <> c.api_key_id
      and case
        when better.user_address is null then
          c.user_address is null and (better.created_at, better.claim_id) < (c.created_at, c.claim_id)
          and exists (
            select from stock_built_calldata b
            where b.chain_id = c.chain_id and b.api_key_id = better.api_key_id and b.calldata_hash = t.calldata_hash
          )
        else
          better.user_address = op.user_address
          and (c.user_address is null or (better.created_at, better.claim_id) < (c.created_at, c.claim_id))
      end
  );
