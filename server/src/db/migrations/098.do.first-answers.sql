-- Answers to writes of a scheme without nonces, each under what makes two requests the same, for as long as the scheme
-- would accept the request again. Without a status the first request is at work, or was cut off.
create table first_answers (
  chain_id bigint not null,
  product text not null,
  api_key_id text not null,
  repetition_id text not null,
  keep_until timestamptz not null,
  http_status int,
  body text,
  reason text,
  primary key (chain_id, product, api_key_id, repetition_id)
);
create index first_answers_keep_until on first_answers (keep_until);
