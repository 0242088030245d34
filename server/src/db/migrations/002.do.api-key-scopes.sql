-- What a key may do on which chain and for which product. WRITABLE includes READ_ONLY.
create table api_key_scopes (
  api_key text not null references api_keys (api_key),
  chain_id bigint not null check (chain_id > 0),
  product_type text not null,
  access text not null check (access in ('READ_ONLY', 'WRITABLE')),
  primary key (api_key, chain_id, product_type)
);
