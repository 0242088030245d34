-- When the block vanished in which the transaction had reverted. Whoever asked for it may have been told that it failed: its bytes are
-- not broadcast again, and what is signed later is an empty transaction that takes the nonce. Written by the relayer.
alter table tx_intents add column withdrawn_at timestamptz;
