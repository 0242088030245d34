-- What a send trades at once, for sends that do: a trade that may only reduce a position counts those of its pair that are under way.
-- Inserted by the keeper too, for the orders that it keeps.
alter table perp_sends
  add column instrument text,
  add column expiry bigint,
  -- Signed base.
  add column trades_wad numeric(78, 0),
  add constraint perp_sends_trade check (
    (instrument is null) = (trades_wad is null) and (instrument is null) = (expiry is null));
create index perp_sends_trades on perp_sends (chain_id, user_address, created_at) where trades_wad is not null;

-- Orders that the venue keeps for a wallet until the mark reaches their price: then the keeper stores the trade that reduces the
-- position, once. Inserted and cancelled by the role api, moved on by the keeper.
create table perp_kept_orders (
  chain_id bigint not null,
  kept_id uuid not null,
  user_address text not null,
  -- Whose budget of gas pays for it; every key of the wallet may see and cancel it.
  api_key_id text not null,
  -- Orders of one link: when one is sent, the others are cancelled.
  link_id uuid not null,
  -- Of the instrument, such as BTC/USDC.
  symbol text not null,
  expiry bigint not null,
  kind text not null check (kind in ('takeProfit', 'stopLoss')),
  -- Of the trade: 1 sells and reduces a long, 2 buys and reduces a short.
  side smallint not null check (side in (1, 2)),
  trigger_wad numeric(78, 0) not null check (trigger_wad > 0),
  -- Null for all of the position.
  size_wad numeric(78, 0) check (size_wad > 0),
  slippage_bps integer not null,
  -- Unix seconds of the chain's time; null for never.
  expires_at_sec bigint,
  created_at timestamptz not null default clock_timestamp(),
  -----------------------------------------------------------------------------------------------------------------
  state text not null default 'open' check (state in ('open', 'sent', 'done', 'failed', 'cancelled', 'expired')),
  -- Sends, and tries to send, that came to nothing; none is made before next_try_at.
  tries integer not null default 0,
  next_try_at timestamptz,
  -- The last send.
  intent_id bigint,
  -- The mark that it was sent at, and the trade, signed base.
  mark_wad numeric(78, 0),
  trades_wad numeric(78, 0),
  -- Why it ended without a trade, by the name of a reason or a revert, and in words.
  reason text,
  message text,
  ended_at timestamptz,
  primary key (chain_id, kept_id),
  foreign key (chain_id, intent_id) references tx_intents (chain_id, id),
  check (state <> 'sent' or intent_id is not null),
  check ((ended_at is null) = (state in ('open', 'sent')))
);
create index perp_kept_orders_live on perp_kept_orders (chain_id, symbol, expiry) where state in ('open', 'sent');
create index perp_kept_orders_of_user on perp_kept_orders (chain_id, user_address, created_at desc, kept_id);
create index perp_kept_orders_linked on perp_kept_orders (chain_id, link_id) where state = 'open';
