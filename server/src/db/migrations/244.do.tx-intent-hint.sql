-- A hint for idle signers, delivered when the intents are committed.
create function tx_intent_hint() returns trigger language plpgsql as $$
begin
  perform pg_notify('tx_intents', '');
  return null;
end
$$;
create trigger intent_hint after insert on tx_intents
  for each statement execute function tx_intent_hint();
