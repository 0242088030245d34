-- An intent that failed keeps the nonce that another transaction has used, and that one may turn out to be what a later intent was
-- for: the nonce is then of both.
create unique index tx_intents_nonce on tx_intents (chain_id, signer, nonce) where state <> 'failed';
create index tx_intents_failed_nonce on tx_intents (chain_id, signer, nonce) where state = 'failed';
alter table tx_intents drop constraint tx_intents_chain_id_signer_nonce_key;
