-- What the submissions of a key may use at most, by hour (UTC) of their creation: a send asks these few rows whether the
-- key is far from its budget, and adds up what was really used only near it. Written by the role api, with submissions.
create table submission_hours (
  chain_id bigint not null,
  api_key_id text not null,
  hour timestamptz not null,
  gas_reserved numeric(78, 0) not null check (gas_reserved > 0),
  primary key (chain_id, api_key_id, hour)
);

insert into submission_hours (chain_id, api_key_id, hour, gas_reserved)
select chain_id, api_key_id, date_trunc('hour', created_at, 'UTC'), sum(gas_reserved)
from submissions group by 1, 2, 3;
