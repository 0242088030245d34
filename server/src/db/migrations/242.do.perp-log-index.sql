-- The place of an event among all logs of its block: a hash says nothing of which of two transactions came first. Null for what was
-- recorded before this column.
alter table perp_executions add column log_index integer;
-- Of the order's placement.
alter table perp_orders add column log_index integer;
