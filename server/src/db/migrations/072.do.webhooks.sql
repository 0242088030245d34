-- Where an API key wants to be told what happens to its orders and operations. Written by the command-line tool, and by the
-- api process that delivers.
create table webhooks (
  webhook_id uuid primary key,
  chain_id bigint not null,
  api_key_id text not null references api_keys (api_key),
  url text not null,
  secret_sealed bytea not null,
  master_key_version integer not null,
  state text not null default 'active' check (state in ('active', 'disabled')),
  created_at timestamptz not null default now(),
  -- Attempts since the last success, and when the first of them was.
  failures_in_a_row integer not null default 0,
  failing_since timestamptz,
  next_attempt_at timestamptz not null default now(),
  last_error text,
  last_delivered_at timestamptz
);
create index webhooks_due on webhooks (chain_id, next_attempt_at) where state = 'active';

-- How far a webhook has got in each channel of the outbox.
create table webhook_cursors (
  webhook_id uuid not null references webhooks on delete cascade,
  channel text not null,
  delivered_sequence bigint not null,
  primary key (webhook_id, channel)
);
