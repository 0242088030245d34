-- A signer of which a look failed before its count was read has a row for /status, and is not met yet: null until it is
-- (chain/send/accounting.ts). 0 would say that it has used no nonce.
alter table tx_signers alter column accounted_nonce drop not null, alter column accounted_nonce drop default;
