-- Whoever changes what a key sees of its orders and operations (indexer, api, relayer; a reorganisation too) marks the
-- change in the same transaction: by triggers, so that nobody can forget it. What a key sees joins its claims to the rows of
-- the chain, and the two are written by transactions that do not see each other; so the marks are rendered after they are
-- committed, by stock/streams/publish.ts, which deletes them in the transaction that adds the messages to the outbox.
create table stock_stream_marks (
  id bigint generated always as identity primary key,
  chain_id bigint not null,
  -- Every claim to this transaction may have changed, or
  tx_hash text,
  -- this claim alone.
  claim_id uuid,
  check (tx_hash is not null or claim_id is not null)
);

-- The trigger's arguments are the columns with the hashes of transactions.
create function stock_stream_mark() returns trigger language plpgsql as $$
begin
  insert into stock_stream_marks (chain_id, tx_hash)
  select distinct (images.image ->> 'chain_id')::bigint, images.image ->> columns.name
  from (values (to_jsonb(old)), (to_jsonb(new))) images (image), unnest(tg_argv) columns (name)
  where images.image ->> columns.name is not null;
  return null;
end
$$;

create trigger stream_mark after insert or update or delete on stock_transactions
  for each row execute function stock_stream_mark('tx_hash');
create trigger stream_mark after insert or update or delete on stock_orders
  for each row execute function stock_stream_mark('create_tx_hash', 'cancel_tx_hash');
create trigger stream_mark after insert or update or delete on cash_operations
  for each row execute function stock_stream_mark('create_tx_hash');
create trigger stream_mark after insert or update or delete on stock_operations
  for each row execute function stock_stream_mark('create_tx_hash');

create function stock_stream_mark_claim() returns trigger language plpgsql as $$
begin
  insert into stock_stream_marks (chain_id, tx_hash, claim_id) values (new.chain_id, new.tx_hash, new.claim_id);
  return null;
end
$$;
create trigger stream_mark after insert on stock_claims for each row execute function stock_stream_mark_claim();

-- An intent has its claims from the transaction that made it, so one without has none to come.
create function stock_stream_mark_intent() returns trigger language plpgsql as $$
begin
  insert into stock_stream_marks (chain_id, tx_hash, claim_id)
  select new.chain_id, to_jsonb(new) ->> 'hash', claim_id from stock_claims
  where chain_id = new.chain_id and intent_id = (to_jsonb(new) ->> tg_argv[0])::bigint;
  return null;
end
$$;
create trigger stream_mark after update on tx_intents
  for each row
  when ((old.state, old.outcome, old.tx_hash) is distinct from (new.state, new.outcome, new.tx_hash))
  execute function stock_stream_mark_intent('id');
create trigger stream_mark after insert or update of released on tx_attempts
  for each row execute function stock_stream_mark_intent('intent_id');

-- A hint for the publisher, delivered when the transaction commits.
create function stock_stream_hint() returns trigger language plpgsql as $$
begin
  perform pg_notify('stock_stream_marks', '');
  return null;
end
$$;
create trigger stream_hint after insert on stock_stream_marks
  for each statement execute function stock_stream_hint();

-- What was there before.
insert into stock_stream_marks (chain_id, claim_id) select chain_id, claim_id from stock_claims order by created_at, claim_id;

-- Quotes have a sequence of their own: they are too many to keep, and only the newest counts.
alter table market_quotes add column version bigint not null default 1;

create function market_quote_version() returns trigger language plpgsql as $$
begin
  new.version := old.version + 1;
  return new;
end
$$;
create trigger quote_version before update on market_quotes
  for each row when (old.* is distinct from new.*) execute function market_quote_version();

create function market_quote_hint() returns trigger language plpgsql as $$
begin
  perform pg_notify('market_quotes', '');
  return null;
end
$$;
create trigger quote_hint after insert or update on market_quotes
  for each statement execute function market_quote_hint();
