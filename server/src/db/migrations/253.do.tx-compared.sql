-- Whether the process that works for the signer has compared all signers with the chain since it took the signer's lock. It may fail at first,
-- and until it has been done nobody knows whether the database was put back.
alter table tx_signers add column compared boolean not null default false;
