-- What happened to an account, by its wallet.
create index stock_orders_by_user on stock_orders (chain_id, user_address);
create index cash_operations_by_user on cash_operations (chain_id, user_address, created_at_sec);
create index stock_operations_by_user on stock_operations (chain_id, user_address, created_at_sec);
