-- How many claims of each kind a key has made on each day (UTC, by created_at): a list has its total from it, and finds the
-- day in which a deep page begins, without reading every claim. Kept by triggers in the transaction of the claims, so that
-- it is exact for whoever sees them.
create table stock_claim_counts (
  chain_id bigint not null,
  api_key_id text not null,
  operation_type text not null,
  day date not null,
  claims bigint not null,
  primary key (chain_id, api_key_id, operation_type, day)
);

insert into stock_claim_counts (chain_id, api_key_id, operation_type, day, claims)
select chain_id, api_key_id, operation_type, (created_at at time zone 'UTC')::date, count(*)
from stock_claims group by 1, 2, 3, 4;

-- In the order of the key, so that two transactions never wait for each other's rows.
create function stock_claims_added() returns trigger language plpgsql as $$
begin
  insert into stock_claim_counts as c (chain_id, api_key_id, operation_type, day, claims)
  select chain_id, api_key_id, operation_type, (created_at at time zone 'UTC')::date, count(*)
  from added group by 1, 2, 3, 4 order by 1, 2, 3, 4
  on conflict (chain_id, api_key_id, operation_type, day) do update set claims = c.claims + excluded.claims;
  return null;
end
$$;
create trigger claims_added after insert on stock_claims
  referencing new table as added for each statement execute function stock_claims_added();

create function stock_claims_removed() returns trigger language plpgsql as $$
begin
  update stock_claim_counts c set claims = c.claims - r.claims
  from (
    select chain_id, api_key_id, operation_type, (created_at at time zone 'UTC')::date as day, count(*) as claims
    from removed group by 1, 2, 3, 4
  ) r
  where c.chain_id = r.chain_id and c.api_key_id = r.api_key_id and c.operation_type = r.operation_type and c.day = r.day;
  return null;
end
$$;
create trigger claims_removed after delete on stock_claims
  referencing old table as removed for each statement execute function stock_claims_removed();

-- What is counted never changes.
create function stock_claims_keep() returns trigger language plpgsql as $$
begin
  raise exception 'the key, the kind and the time of a claim cannot be changed';
end
$$;
create trigger claims_keep before update on stock_claims
  for each row
  when ((old.chain_id, old.api_key_id, old.operation_type, old.created_at)
    is distinct from (new.chain_id, new.api_key_id, new.operation_type, new.created_at))
  execute function stock_claims_keep();

-- The deposits that users have made in the step of an order: lists of deposits show them beside the others.
create index cash_operations_in_step on cash_operations (chain_id, user_address) where order_id is not null;
create index stock_operations_in_step on stock_operations (chain_id, user_address) where order_id is not null;
