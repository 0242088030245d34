-- What API keys of perpetuals have had the venue send for their wallets: each names its intent, stored in the same transaction, so
-- that a repeated request is answered from what became of it. Written by the role api.
create table perp_sends (
  send_id uuid primary key,
  chain_id bigint not null,
  intent_id bigint not null,
  api_key_id text not null,
  user_address text not null,
  -- The action's name on the wire, such as market.
  action text not null,
  -- Orders that the request named, as text: those that the transaction is about, and those that were not open.
  sent_oids text[] not null default '{}',
  missing_oids text[] not null default '{}',
  created_at timestamptz not null default clock_timestamp(),
  foreign key (chain_id, intent_id) references tx_intents (chain_id, id)
);
create unique index perp_sends_by_intent on perp_sends (chain_id, intent_id);
create index perp_sends_by_key on perp_sends (chain_id, api_key_id, created_at);
