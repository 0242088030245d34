-- When the relayer first saw the transaction in the block that it is in; unlike state_at it stays when the block becomes final.
alter table tx_intents add column mined_at timestamptz;

update tx_intents set mined_at = state_at where outcome is not null;
