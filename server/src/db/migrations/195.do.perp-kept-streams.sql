-- Kept orders are told like the other records of a wallet (migration 175): whoever writes one marks it, and so does whoever writes
-- what its state follows from: the outcome of its send, and the hash of its newest attempt.
alter table perp_stream_marks
  drop constraint perp_stream_marks_kind_check,
  add constraint perp_stream_marks_kind_check
    check (kind in ('order', 'execution', 'position', 'range', 'movement', 'keptOrder'));

create function perp_stream_mark_kept() returns trigger language plpgsql as $$
begin
  insert into perp_stream_marks (chain_id, trader, kind, subject)
  values (new.chain_id, new.user_address, 'keptOrder', new.kept_id::text);
  return null;
end
$$;
create trigger stream_mark after insert or update on perp_kept_orders
  for each row execute function perp_stream_mark_kept();

create index perp_kept_orders_sent on perp_kept_orders (chain_id, intent_id) where intent_id is not null;

-- The trigger's argument is the column with the intent's id.
create function perp_stream_mark_kept_intent() returns trigger language plpgsql as $$
begin
  insert into perp_stream_marks (chain_id, trader, kind, subject)
  select chain_id, user_address, 'keptOrder', kept_id::text from perp_kept_orders
  where chain_id = new.chain_id and intent_id = (to_jsonb(new) ->> tg_argv[0])::bigint;
  return null;
end
$$;
create trigger kept_stream_mark after update on tx_intents
  for each row
  when ((old.outcome, old.tx_hash) is distinct from (new.outcome, new.tx_hash))
  execute function perp_stream_mark_kept_intent('id');
create trigger kept_stream_mark after insert or update of released on tx_attempts
  for each row execute function perp_stream_mark_kept_intent('intent_id');

insert into perp_stream_marks (chain_id, trader, kind, subject)
select chain_id, user_address, 'keptOrder', kept_id::text from perp_kept_orders order by created_at, kept_id;
