-- Written by: keeper, but token_splits, which the command-line tool writes. What the keeper knows of orders and tokens beside
-- the chain's own tables.

-- Terms under which the keeper took an order of the chain to the broker, and what a token stood for then. A broker order
-- is in shares; the same order on chain is in tokens.
create table taken_orders (
  chain_id bigint not null,
  order_id text not null,
  token text not null,
  order_type text not null check (order_type in ('Market', 'Limit')),
  side text not null check (side in ('Buy', 'Sell')),
  amount_wad numeric(78, 0) not null,
  limit_price_wad numeric(78, 0),
  shares_per_token_wad numeric(78, 0) not null check (shares_per_token_wad > 0),
  taken_at timestamptz not null default now(),
  primary key (chain_id, order_id)
);
insert into taken_orders (chain_id, order_id, token, order_type, side, amount_wad, shares_per_token_wad)
select b.chain_id, b.client_order_id, t.token, 'Market', initcap(b.side), coalesce(b.notional_wad, b.quantity_wad),
  1000000000000000000
from broker_orders b join stock_tokens t on t.chain_id = b.chain_id and t.ticker = b.symbol;

-- What the broker executed for an order that cannot take it any more: the venue's own risk until the order stands again.
create table hedges (
  chain_id bigint not null,
  execution_id text not null,
  order_id text not null,
  symbol text not null,
  -- Signed, shares and USD: bought shares are positive, cash spent for them negative.
  quantity_wad numeric(78, 0) not null,
  cash_wad numeric(78, 0) not null,
  -- taken_back: by its user; closed: ended on chain otherwise; replaced: a reorganisation put another order under the id;
  -- vanished: a reorganisation removed it.
  reason text not null check (reason in ('taken_back', 'closed', 'replaced', 'vanished')),
  booked_at timestamptz not null default now(),
  -- When the order stood again and could take the execution after all.
  released_at timestamptz,
  primary key (chain_id, execution_id)
);
create index hedges_open on hedges (chain_id, symbol) where released_at is null;

-- Splits and stock dividends that the operator applied to tokens.
create table token_splits (
  chain_id bigint not null,
  token text not null,
  ex_date date not null,
  ticker text not null,
  -- From this instant on (market clock) a token stands for so many shares, 18 decimals.
  effective_at timestamptz not null,
  shares_per_token_wad numeric(78, 0) not null check (shares_per_token_wad > 0),
  actor text not null,
  recorded_at timestamptz not null default now(),
  primary key (chain_id, token, ex_date)
);

-- Each token's supply as the keeper last read it, beside what the broker had executed for it then.
create table token_supply (
  chain_id bigint not null,
  token text not null,
  supply_wad numeric(78, 0) not null,
  -- Of it, what the settle signer holds: what settlements under way need, else nothing.
  settler_wad numeric(78, 0) not null,
  -- Tokens bought less sold at the broker, and of them those that the chain did not show as settled.
  broker_wad numeric(78, 0) not null,
  open_wad numeric(78, 0) not null,
  shares_per_token_wad numeric(78, 0) not null,
  block_number bigint not null,
  read_at timestamptz not null,
  primary key (chain_id, token)
);

-- The session that the newest published price of each feed was made in, as the contracts number it.
alter table oracle_prices add column session smallint not null default 0;
