-- The newest block at which an order was judged, when it was made or sent. A node that lags shows older ones, of marks and positions that
-- the order has never met; they do not move it.
alter table perp_kept_orders add column judged_block bigint not null default 0;
