-- Empty transactions that older versions queued for a gap among a signer's nonces, one after the other while the node estimated nothing,
-- refused their fee or the balance was short: those that had left their nonce went before what users had asked for, and took nonces and fees.
-- None of them has one now, and gaps that still stand are closed anew (chain/send/worker.ts).
update tx_intents set state = 'rejected', state_at = clock_timestamp(), problem = 'its gap is closed anew where it still stands'
where state = 'queued' and dedupe_key like 'noop:' || to_address || ':%' and data = '0x' and value_wei = 0;
