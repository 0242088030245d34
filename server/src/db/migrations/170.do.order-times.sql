-- When the broker first answered for an order: how long orders take is measured from it. Written by: keeper.
alter table broker_orders add column answered_at timestamptz;
create index broker_orders_answered on broker_orders (chain_id, answered_at) where answered_at is not null;
create index stock_orders_closed on stock_orders (chain_id, closed_at_sec) where closed_at_sec is not null;
