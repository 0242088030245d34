-- Which order a claimed cancellation is of, as far as it is known from the calldata: one that waits keeps out a second.
alter table stock_claims add column cancel_order_id text;
create index stock_claims_by_cancelled_order on stock_claims (chain_id, cancel_order_id) where cancel_order_id is not null;

-- A recorded hash that the chain has not shown 24 hours later has expired, by the wall clock and by the chain's: an indexer
-- that is behind lets nothing expire. What is mined after all counts all the same.
create function stock_claim_expired(claim stock_claims) returns boolean language sql stable as $$
  select claim.created_at < now() - interval '24 hours' and exists (
    select from chain_checkpoints k
    join blocks b on b.chain_id = k.chain_id and b.number = k.block_number
    where k.chain_id = claim.chain_id and b.timestamp_sec > extract(epoch from claim.created_at) + 86400
  )
$$;

-- As in 155, with both.
create or replace view stock_mappings as
select
  c.claim_id, c.chain_id, c.api_key_id, own.tx_hash, c.operation_type, c.user_address as bound_address, c.created_at,
  coalesce(t.succeeded, case when sent.state in ('rejected', 'failed') or sent.outcome = 'reverted' then false end)
    as succeeded,
  t.mined_at_sec, op.operation_id, op.user_address, coalesce(op.index_in_tx, 0) as index_in_tx,
  c.tx_hash as recorded_tx_hash, c.client_order_id, sent.revert_data, sent.problem,
  t.succeeded and op.operation_id is null and exists (
    select from stock_claimable_operations o
    where o.chain_id = c.chain_id and o.tx_hash = own.tx_hash
      and (o.operation_type = c.operation_type or c.operation_type = 'trade' and o.operation_type = 'cancel')
  ) as of_others,
  c.cancel_order_id,
  t.succeeded is null and c.tx_hash is not null and own.intent_id is null and stock_claim_expired(c) as expired
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
  select b.created_at from stock_built_calldata b
  where b.chain_id = c.chain_id and b.api_key_id = c.api_key_id and b.calldata_hash = t.calldata_hash
    and stock_built_before(b, t.block_number)
) built on c.user_address is null
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
  (c.user_address = op.user_address or built.created_at is not null)
  and not exists (
    select from stock_claims better
    where better.chain_id = c.chain_id and (better.tx_hash = own.tx_hash or better.intent_id = own.intent_id)
      and better.operation_type = c.operation_type and better.api_key_id <> c.api_key_id
      and case
        when better.user_address is null then
          c.user_address is null and exists (
            select from stock_built_calldata b
            where b.chain_id = c.chain_id and b.api_key_id = better.api_key_id and b.calldata_hash = t.calldata_hash
              and stock_built_before(b, t.block_number)
              and (b.created_at, b.api_key_id) < (built.created_at, c.api_key_id)
          )
        else
          better.user_address = op.user_address
          and (c.user_address is null or (better.created_at, better.claim_id) < (c.created_at, c.claim_id))
      end
  );
