-- Whoever changes what a wallet has or did in perpetuals (the indexer, when it undoes a block too) marks the change in the same
-- transaction: by triggers, so that nobody can forget it. perp/streams/publish.ts renders what is marked after it is committed, and
-- deletes the marks in the transaction that adds the messages to the outbox. Marks of wallets without an API key are only deleted.
create table perp_stream_marks (
  id bigint generated always as identity primary key,
  chain_id bigint not null,
  trader text not null,
  -- Null for everything of the wallet: it has a new API key.
  kind text check (kind in ('order', 'execution', 'position', 'range', 'movement')),
  -- Names the record among the wallet's of this kind.
  subject text,
  check ((kind is null) = (subject is null))
);

-- The trigger's arguments are the kind, what separates the parts of a subject, and the columns that it is made of.
create function perp_stream_mark() returns trigger language plpgsql as $$
begin
  insert into perp_stream_marks (chain_id, trader, kind, subject)
  select distinct (images.image ->> 'chain_id')::bigint, images.image ->> 'trader', tg_argv[0], (
    select string_agg(images.image ->> columns.name, tg_argv[1] order by columns.nth)
    from unnest(tg_argv[2:]) with ordinality columns (name, nth)
  )
  from (values (to_jsonb(old)), (to_jsonb(new))) images (image)
  where images.image is not null;
  return null;
end
$$;

create trigger stream_mark after insert or update or delete on perp_orders
  for each row execute function perp_stream_mark('order', '-', 'order_id');
create trigger stream_mark after insert or update or delete on perp_executions
  for each row execute function perp_stream_mark('execution', '-', 'tx_hash', 'index_in_tx', 'kind');
create trigger stream_mark after insert or update or delete on perp_positions
  for each row execute function perp_stream_mark('position', '_', 'instrument', 'expiry');
create trigger stream_mark after insert or update or delete on perp_ranges
  for each row execute function perp_stream_mark('range', '_', 'instrument', 'expiry', 'tick_lower', 'tick_upper');
create trigger stream_mark after insert or update or delete on perp_ledger
  for each row execute function perp_stream_mark('movement', '-', 'tx_hash', 'index_in_tx', 'kind');

-- A key of a product of wallets begins with all that its wallet has.
create function perp_stream_mark_wallet() returns trigger language plpgsql as $$
begin
  insert into perp_stream_marks (chain_id, trader)
  select new.chain_id, user_address from api_keys where api_key = new.api_key and user_address is not null;
  return null;
end
$$;
create trigger stream_mark after insert on api_key_scopes
  for each row execute function perp_stream_mark_wallet();

insert into perp_stream_marks (chain_id, trader)
select distinct s.chain_id, k.user_address from api_key_scopes s join api_keys k using (api_key)
where k.user_address is not null;
