-- Written by: the indexer. A settlement closes a position at a price, as a trade does, and makes a row of its own.
--   settlement   what an account held in a settled pair, closed at the settlement price, without a fee (Settle)
-- Blocks that were indexed before have no such rows. Prices and volume do not come of them: they are no trades of the market.
alter table perp_executions drop constraint perp_executions_kind_check;
alter table perp_executions add constraint perp_executions_kind_check
  check (kind in ('market', 'fill', 'range', 'liquidation', 'take_over', 'settlement'));
