-- Written by: keeper. Limit orders, cancels and expiry at the broker; partial fills in the simulated broker's books; splits
-- that the operator has applied to tokens.

-- A market buy is a notional, everything else a quantity of shares; a limit order has its price too.
alter table broker_orders add column type text not null default 'market' check (type in ('market', 'limit'));
alter table broker_orders alter column type drop default;
alter table broker_orders add column limit_price8 numeric(78, 0) check (limit_price8 > 0);
-- The broker ends the order at this instant (market clock); null: it stands until it is filled.
alter table broker_orders add column expires_at timestamptz;
-- When the venue wanted the order's end. The broker is asked until the order has one.
alter table broker_orders add column cancel_requested_at timestamptz;
alter table broker_orders add column cancel_attempts integer not null default 0;
alter table broker_orders add column next_cancel_at timestamptz;
alter table broker_orders drop constraint broker_orders_check;
alter table broker_orders add constraint broker_orders_terms check (
  (type = 'limit') = (limit_price8 is not null)
  and (type = 'market' and side = 'buy') = (notional_wad is not null)
  and (type = 'limit' or side = 'sell') = (quantity_wad is not null));
create index broker_orders_cancels on broker_orders (chain_id, next_cancel_at)
  where cancel_requested_at is not null and status in ('requested', 'accepted', 'partially_filled');

alter table simulated_broker_orders add column limit_price8 numeric(78, 0);
alter table simulated_broker_orders add column accepted_at timestamptz;
update simulated_broker_orders set accepted_at = fill_time;
alter table simulated_broker_orders alter column accepted_at set not null;
alter table simulated_broker_orders add column expires_at timestamptz;
-- When a cancel that was asked for takes effect.
alter table simulated_broker_orders add column cancel_at timestamptz;
alter table simulated_broker_orders add column filled_quantity_wad numeric(78, 0) not null default 0;
update simulated_broker_orders o set filled_quantity_wad = e.quantity_wad
from simulated_broker_executions e where e.client_order_id = o.client_order_id;
comment on column simulated_broker_orders.fill_time is
  'a market order: when it is due to be filled; a limit order: the instant up to which it has been matched';
alter table simulated_broker_executions drop constraint simulated_broker_executions_client_order_id_key;
create index simulated_broker_executions_order on simulated_broker_executions (client_order_id);
drop index simulated_broker_orders_open;
create index simulated_broker_orders_open on simulated_broker_orders (fill_time)
  where status in ('accepted', 'partially_filled');

-- A split that the operator has applied to tokens counts from this instant; it is no part of the file of corporate actions.
alter table market_corporate_actions add column effective_at timestamptz;
alter table market_corporate_actions add check (effective_at is null or type = 'split');
