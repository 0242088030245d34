-- A hint of a change of a table, delivered when it is committed, on the channel that the trigger names.
create function send_hint() returns trigger language plpgsql as $$
begin
  perform pg_notify(tg_argv[0], '');
  return null;
end
$$;

-- For signers at rest.
create trigger intent_hint after insert on tx_intents
  for each statement execute function send_hint('tx_intents');

-- Those of migration 071, as before.
create or replace trigger stream_hint after insert on stock_stream_marks
  for each statement execute function send_hint('stock_stream_marks');
create or replace trigger quote_hint after insert or update on market_quotes
  for each statement execute function send_hint('market_quotes');
drop function stock_stream_hint;
drop function market_quote_hint;
