-- Nonces with which wallets have made API keys for themselves. Written by the role api, in the transaction of the key that each
-- was spent on. A row stays for good: a signature that made a key makes no second one.
create table wallet_nonces (
  chain_id bigint not null,
  product_type text not null,
  wallet text not null check (wallet ~ '^0x[0-9a-f]{40}$'),
  nonce text not null,
  api_key text not null references api_keys (api_key),
  spent_at timestamptz not null default clock_timestamp(),
  primary key (chain_id, product_type, wallet, nonce)
);
create index api_keys_by_user on api_keys (user_address) where user_address is not null;
-- When each key was last let in, by the role api. Written every few seconds, so that a request costs no write.
create table api_key_uses (
  api_key text primary key references api_keys (api_key),
  last_used_at timestamptz not null
);
