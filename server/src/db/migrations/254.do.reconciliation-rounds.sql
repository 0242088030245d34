-- Written by: keeper. What readings look at in parts: where the next one goes on, and since when all of it was looked at
-- (reconciliation/round-store.ts). It outlives the keeper, so that what differed is not forgotten when another one takes over.
create table reconciliation_rounds (
  chain_id bigint not null,
  product text not null,
  -- The product's own: the last of the part that was looked at, and what of it differed.
  next jsonb not null,
  -- When the round began that is under way; null between two.
  began_at timestamptz,
  -- When the last round began that came to its end; null before the first has.
  all_read_since timestamptz,
  primary key (chain_id, product)
);
