-- Written by: the api. Of a transaction that many keys claim one transaction of the publisher tells a part: the claims that are left are
-- marked again, and come after what was marked by a change.
alter table stock_stream_marks add column put_back boolean not null default false;
create index stock_stream_marks_in_turn on stock_stream_marks (chain_id, put_back, id);
-- Once each, however often the transaction changes meanwhile.
create unique index stock_stream_marks_put_back on stock_stream_marks (chain_id, claim_id) where put_back;

-- A claim changes what others see only where it is of the same kind and can outrank them, as stock_mappings has it (157): those of its wallet,
-- and of unbound keys. Anybody may claim a hash, so what strangers claim it for stays unmarked. As in 071 otherwise.
create or replace function stock_stream_mark_claim() returns trigger language plpgsql as $$
begin
  insert into stock_stream_marks (chain_id, claim_id)
  select new.chain_id, claim_id from (
    select claim_id, user_address from stock_claims
    where chain_id = new.chain_id and tx_hash = new.tx_hash and operation_type = new.operation_type
    union
    select c.claim_id, c.user_address
    from tx_attempts a join stock_claims c on c.chain_id = a.chain_id and c.intent_id = a.intent_id
    where a.chain_id = new.chain_id and a.hash = new.tx_hash and c.operation_type = new.operation_type
  ) rivals
  where claim_id <> new.claim_id and (user_address is null or user_address = new.user_address)
  union all
  select new.chain_id, new.claim_id;
  return null;
end
$$;
