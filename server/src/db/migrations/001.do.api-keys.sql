-- API keys. Written by the api role and the command-line tool, one change at a time: each change takes the row of
-- api_key_revision, so revisions are visible in the order of their numbers and a reader never misses one.
create table api_key_revision (
  only_row boolean primary key default true check (only_row),
  revision bigint not null
);
insert into api_key_revision (revision) values (0);

create table api_keys (
  api_key text primary key,
  label text not null,
  state text not null check (state in ('active', 'disabled')),
  -- AES-256-GCM: initialisation vector, tag, ciphertext; the key id and the version are its associated data.
  secret_sealed bytea not null,
  master_key_version integer not null,
  expires_at timestamptz,
  -- Exact addresses; an empty list admits nobody.
  ip_whitelist text[] not null,
  user_address text check (user_address ~ '^0x[0-9a-f]{40}$'),
  created_at timestamptz not null default now(),
  secret_made_at timestamptz not null default now(),
  disabled_at timestamptz,
  revision bigint not null
);
create index api_keys_revision on api_keys (revision);
