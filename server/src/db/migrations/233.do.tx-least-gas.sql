-- The gas with which whoever asked had the call run, with the chain's buffer; the limit that is signed is never less. The relayer's
-- own estimate can be of a block in which what the call works on was not there yet: a cancel of nothing is cheap.
alter table tx_intents add column least_gas bigint check (least_gas > 0);
