-- Claims to what the venue sends itself. Such a claim names its intent, stored in the same transaction, and no hash: every
-- attempt's hash leads to it, and it shows the one that was mined, until then the newest.
alter table stock_claims
  alter column tx_hash drop not null,
  add column intent_id bigint,
  -- The client's own name for an order.
  add column client_order_id text,
  add constraint stock_claims_subject check ((tx_hash is null) = (intent_id is not null)),
  add constraint stock_claims_intent foreign key (chain_id, intent_id) references tx_intents (chain_id, id);
create unique index stock_claims_by_intent on stock_claims (chain_id, intent_id, operation_type)
  where intent_id is not null;
create unique index stock_claims_by_client_order on stock_claims (chain_id, api_key_id, client_order_id)
  where client_order_id is not null;

-- As in 056, with the hash of a sent transaction taken from its intent. A send that was never mined, or reverted, has not
-- succeeded although no block tells so. recorded_tx_hash is for look-ups: it alone is indexed.
create or replace view stock_mappings as
select
  c.claim_id, c.chain_id, c.api_key_id, own.tx_hash, c.operation_type, c.user_address as bound_address, c.created_at,
  coalesce(t.succeeded, case when sent.state in ('rejected', 'failed') or sent.outcome = 'reverted' then false end)
    as succeeded,
  t.mined_at_sec, op.operation_id, op.user_address, coalesce(op.index_in_tx, 0) as index_in_tx,
  c.tx_hash as recorded_tx_hash, c.client_order_id, sent.revert_data, sent.problem
from stock_claims c
left join tx_intents sent on sent.chain_id = c.chain_id and sent.id = c.intent_id
left join lateral (
  select a.hash from tx_attempts a
  where a.chain_id = c.chain_id and a.intent_id = c.intent_id and not a.released
  order by a.signed_at desc, a.max_fee_wei desc limit 1
) newest on sent.tx_hash is null
cross join lateral (
  select coalesce(c.tx_hash, sent.tx_hash, newest.hash) as tx_hash,
    coalesce(c.intent_id, (
      select a.intent_id from tx_attempts a where a.chain_id = c.chain_id and a.hash = c.tx_hash limit 1
    )) as intent_id
) own
left join stock_transactions t on t.chain_id = c.chain_id and t.tx_hash = own.tx_hash
left join lateral (
  select o.operation_id, o.user_address, o.index_in_tx
  from stock_claimable_operations o
  where o.chain_id = c.chain_id and o.tx_hash = own.tx_hash and o.operation_type = c.operation_type
  union all
  select o.order_id, o.user_address, o.cancel_index_in_tx
  from stock_orders o
  where o.chain_id = c.chain_id and o.cancel_tx_hash = own.tx_hash and o.cancel_nth_in_tx = 0
    and c.operation_type = 'trade'
    and not exists (
      select from stock_orders placed
      where placed.chain_id = c.chain_id and placed.create_tx_hash = own.tx_hash
        and placed.user_address = o.user_address
    )
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
    where better.chain_id = c.chain_id and (better.tx_hash = own.tx_hash or better.intent_id = own.intent_id)
      and better.operation_type = c.operation_type and better.api_key_id <> c.api_key_id
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
