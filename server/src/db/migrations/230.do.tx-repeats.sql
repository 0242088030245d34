-- The end of the call, by which it is known which request or kept order it was made for, whatever else of it has become: 16 bytes
-- (chain/send/tags.ts). Null for calls that the chain itself carries out only once.
alter table tx_intents add column tag text check (tag ~ '^0x[0-9a-f]{32}$');

create index tx_unaccounted_tag on tx_unaccounted (chain_id, to_address, right(data, 32)) where intent_id is null;

-- While the database stands behind the chain: the signer's next nonce with all that its node has under way, since nothing can be
-- judged before that is mined. Written by the relayer, null otherwise.
alter table tx_signers add column pending_nonce bigint;
