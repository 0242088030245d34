-- Written by: keeper, at a real market. Since when the venue has had a token, market clock: a split whose ex-date begins after that must
-- be applied to it, one of before is in what the token stood for at first.
create table keeper_tokens (
  chain_id bigint not null,
  token text not null,
  known_since timestamptz not null,
  primary key (chain_id, token)
);
insert into keeper_tokens (chain_id, token, known_since) select chain_id, token, now() from stock_tokens;
