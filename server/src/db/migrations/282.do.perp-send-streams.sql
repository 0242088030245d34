-- A send of One Click that comes to nothing changes no row of its wallet's, so the wallet's stream is told of it by the send (migration 175).
-- One whose failure is taken back, as its block has vanished, is marked too.
alter table perp_stream_marks
  drop constraint perp_stream_marks_kind_check,
  add constraint perp_stream_marks_kind_check
    check (kind in ('order', 'execution', 'position', 'range', 'movement', 'keptOrder', 'send'));

create function perp_stream_mark_send() returns trigger language plpgsql as $$
begin
  insert into perp_stream_marks (chain_id, trader, kind, subject)
  select chain_id, user_address, 'send', send_id::text from perp_sends
  where chain_id = new.chain_id and intent_id = new.id;
  return null;
end
$$;
create trigger send_stream_mark after update on tx_intents
  for each row
  when ((coalesce(old.outcome = 'reverted', false) or old.state in ('rejected', 'failed'))
    <> (coalesce(new.outcome = 'reverted', false) or new.state in ('rejected', 'failed')))
  execute function perp_stream_mark_send();
