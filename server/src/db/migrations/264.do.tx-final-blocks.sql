-- For what waits for the indexer (chain/send/ended-intents.ts): intents that are final in a block that is not indexed yet, among all that are
-- final.
create index tx_intents_final_block on tx_intents (chain_id, block_number) where state = 'final';
