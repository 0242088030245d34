-- Withdrawals of stock that wait because their token is paused. Such an operation has the id of its event; every other is
-- final as soon as it is on chain.
alter table stock_operations
  add column status text not null default 'settled' check (status in ('queued', 'settled', 'taken_back')),
  -- From this time on the user can claim a queued withdrawal alone, Unix seconds.
  add column exit_at_sec bigint,
  -- The transaction that ended a queued withdrawal.
  add column settle_tx_hash text,
  add column settled_at_sec bigint;
create index stock_operations_queued on stock_operations (chain_id, token) where status = 'queued';
