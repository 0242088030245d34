-- Which request an Idempotency-Key stands for and what it stored. Written by the role api, in the transaction of what is
-- stored. A record stays for good: a key never comes to mean another request.
create table idempotency_records (
  chain_id bigint not null,
  api_key_id text not null,
  idempotency_key text not null,
  request_hash text not null,
  -- What the answer is rendered from: ids, not the answer itself.
  result jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (chain_id, api_key_id, idempotency_key)
);
