-- Written by: the split tool. What the market's source said of a split when the operator applied it; null where it said nothing, or before
-- this migration. Where it says something else later, and not what was applied, the split may have been applied wrongly.
alter table market_corporate_actions
  add column announced_from8 numeric(78, 0),
  add column announced_to8 numeric(78, 0);
