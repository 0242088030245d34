-- Written by: indexer. What an account loses inside a pair without trading, and what it is forgiven (perp/indexing/account-steps.ts).
--   loss          its share of what bankrupt accounts of the pair owed; negative
--   liquidation   what a forced close leaves goes to the insurance fund, and with a part that is taken over to whoever takes it: negative for
--                 whom it is taken from, positive for whoever gets it. A debt with which an account ends is forgiven: positive
-- Rows of blocks that were indexed before this migration are not added: what they follow from has been overwritten since.
alter table perp_ledger
  drop constraint perp_ledger_kind_check,
  add constraint perp_ledger_kind_check check (
    kind in ('deposit', 'withdraw', 'request', 'release', 'scatter', 'gather', 'funding', 'fee', 'tip', 'loss', 'liquidation'))
    not valid;
alter table perp_ledger validate constraint perp_ledger_kind_check;
