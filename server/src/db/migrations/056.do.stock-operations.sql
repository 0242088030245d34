-- Limit orders and their cancellation, moves of stock between wallet and exchange, orders with a deposit, and positions.
-- Written by the indexer alone, as the tables of 030.

-- amount_wad of a limit order is its quantity, of a buy as well.
alter table stock_orders
  add column order_type text not null default 'Market' check (order_type in ('Market', 'Limit')),
  -- USD per token; null for a market order, as is the time in force in the contract's numbers (0 is DAY).
  add column limit_price_wad numeric(78, 0),
  add column time_in_force smallint,
  -- The user's request of a cancellation; the order stays open until it is settled.
  add column cancel_requested boolean not null default false,
  add column cancel_tx_hash text,
  add column cancel_index_in_tx integer,
  -- How many cancellations the same transaction had requested for the user before.
  add column cancel_nth_in_tx integer,
  add column cancel_requested_at_sec bigint,
  -- The deposit that was made in the same step: of a buy a cash operation, of a sell a stock operation.
  add column deposit_operation_id text,
  add constraint stock_orders_limit check ((order_type = 'Limit') = (limit_price_wad is not null)),
  drop constraint stock_orders_status_check,
  add constraint stock_orders_status_check
    check (status in ('open', 'filled', 'partially_filled', 'rejected', 'taken_back', 'canceled', 'expired'));
create index stock_orders_by_cancellation on stock_orders (chain_id, cancel_tx_hash) where cancel_tx_hash is not null;
create index stock_orders_open_by_user on stock_orders (chain_id, user_address) where status = 'open';

-- The order that was placed in the same step.
alter table cash_operations add column order_id text;

alter table stock_tokens
  add column deposit_paused boolean not null default false,
  add column withdraw_paused boolean not null default false;

-- Stock moved between wallet and exchange: final as soon as it is on chain. The id is the venue's own
-- (stock/stock-operation-id.ts); the events carry none.
create table stock_operations (
  chain_id bigint not null,
  operation_id text not null,
  kind text not null check (kind in ('deposit', 'withdraw')),
  user_address text not null,
  token text not null,
  amount_wad numeric(78, 0) not null,
  -- The order that was placed in the same step.
  order_id text,
  create_tx_hash text not null,
  index_in_tx integer not null,
  -- How many operations of the kind the same transaction had made before.
  nth_in_tx integer not null,
  created_at_sec bigint not null,
  primary key (chain_id, operation_id)
);
create index stock_operations_by_transaction on stock_operations (chain_id, create_tx_hash);
create index stock_operations_further on stock_operations (chain_id, create_tx_hash, kind) where nth_in_tx > 0;

-- What a user holds at the exchange, free and locked, and what was paid for it without fees (docs/decisions/011):
-- cost_e36 is USD with 36 decimals, null while part of it came in at a price that nobody had published.
create table stock_positions (
  chain_id bigint not null,
  user_address text not null,
  token text not null,
  quantity_wad numeric(78, 0) not null,
  cost_e36 numeric(78, 0),
  primary key (chain_id, user_address, token)
);

-- Of orders from before this migration: the cost is known where nothing was sold.
insert into stock_positions (chain_id, user_address, token, quantity_wad, cost_e36)
select chain_id, user_address, token, quantity_wad,
  case when quantity_wad = 0 then 0 when not has_sold then cost_e36 end
from (
  select o.chain_id, o.user_address, o.token,
    sum(case o.side when 'Buy' then f.quantity_wad else - f.quantity_wad end) as quantity_wad,
    sum(f.quantity_wad * f.price_wad) as cost_e36, bool_or(o.side = 'Sell') as has_sold
  from stock_fills f join stock_orders o using (chain_id, order_id)
  group by o.chain_id, o.user_address, o.token
) traded;

-- Claims. A transaction that deposits and orders in one step is a trade; by the claim to the trade its key also has the
-- deposit ('trade_deposit', 'trade_stock_deposit'). A cancellation is no order of its own ('cancel').
alter table stock_claims
  drop constraint stock_claims_operation_type_check,
  add constraint stock_claims_operation_type_check check (operation_type in (
    'trade', 'cancel', 'deposit', 'withdraw', 'stock_deposit', 'stock_withdraw', 'trade_deposit', 'trade_stock_deposit'
  ));

-- The operations of transactions, under the kind of claim that leads to each.
create view stock_claimable_operations as
select chain_id, create_tx_hash as tx_hash, 'trade' as operation_type, order_id as operation_id, user_address, index_in_tx
from stock_orders
union all
select chain_id, cancel_tx_hash, 'cancel', order_id, user_address, cancel_index_in_tx
from stock_orders where cancel_tx_hash is not null
union all
select chain_id, create_tx_hash, case when order_id is null then kind else 'trade_' || kind end, operation_id,
  user_address, index_in_tx
from cash_operations
union all
select chain_id, create_tx_hash, case when order_id is null then 'stock_' || kind else 'trade_stock_' || kind end,
  operation_id, user_address, index_in_tx
from stock_operations;

-- As in 031, over every kind of operation. A transaction that was recorded as a trade before anything was known of it, and
-- turns out to cancel and to place nothing, leads to the first order that it cancels.
create or replace view stock_mappings as
select
  c.claim_id, c.chain_id, c.api_key_id, c.tx_hash, c.operation_type, c.user_address as bound_address, c.created_at,
  t.succeeded, t.mined_at_sec, op.operation_id, op.user_address, coalesce(op.index_in_tx, 0) as index_in_tx
from stock_claims c
left join stock_transactions t on t.chain_id = c.chain_id and t.tx_hash = c.tx_hash
left join lateral (
  select o.operation_id, o.user_address, o.index_in_tx
  from stock_claimable_operations o
  where o.chain_id = c.chain_id and o.tx_hash = c.tx_hash and o.operation_type = c.operation_type
  union all
  select o.order_id, o.user_address, o.cancel_index_in_tx
  from stock_orders o
  where o.chain_id = c.chain_id and o.cancel_tx_hash = c.tx_hash and o.cancel_nth_in_tx = 0 and c.operation_type = 'trade'
    and not exists (
      select from stock_orders placed
      where placed.chain_id = c.chain_id and placed.create_tx_hash = c.tx_hash and placed.user_address = o.user_address
    )
) op on
  (
    c.user_address = op.user_address
    or c.user_address is null and exists (
      select from stock_built_calldata b
      where b.chain_id = c.chain_id and b.api_key_id = c.api_key_id and b.calldata_hash = t.calldata_hash
    )
  )
  and not exists (
    select from stock_claims better
    where better.chain_id = c.chain_id and better.tx_hash = c.tx_hash and better.operation_type = c.operation_type
      and better.api_key_id <> c.api_key_id
      and case
        when better.user_address is null then
          c.user_address is null and (better.created_at, better.claim_id) < (c.created_at, c.claim_id)
          and exists (
            select from stock_built_calldata b
            where b.chain_id = c.chain_id and b.api_key_id = better.api_key_id and b.calldata_hash = t.calldata_hash
          )
        else
          better.user_address = op.user_address
          and (c.user_address is null or (better.created_at, better.claim_id) < (c.created_at, c.claim_id))
      end
  );
