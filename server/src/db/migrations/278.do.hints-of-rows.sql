-- Written by: whoever inserts. A statement that inserts nothing is no hint: the publisher of stocks, which puts back what is left of a
-- transaction's claims (276), mostly none, woke itself by each look for as long as it ran.
create function send_hint_of_rows() returns trigger language plpgsql as $$
begin
  if exists (select from added) then
    perform pg_notify(tg_argv[0], '');
  end if;
  return null;
end
$$;

create or replace trigger intent_hint after insert on tx_intents
  referencing new table as added for each statement execute function send_hint_of_rows('tx_intents');
create or replace trigger stream_hint after insert on stock_stream_marks
  referencing new table as added for each statement execute function send_hint_of_rows('stock_stream_marks');
