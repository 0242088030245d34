-- A wallet makes and ends as many keys as it likes, so the budget of gas goes by the wallet that is sent for (delegation/submission.ts). Written
-- by whoever writes submissions. What the last day has used is kept; an older api process, which counts by key, is refused its sends from here on.
lock table submissions, submission_hours;
drop index submissions_by_key;
create index submissions_by_user on submissions (chain_id, user_address, created_at);

truncate submission_hours;
alter table submission_hours rename column api_key_id to user_address;
insert into submission_hours (chain_id, user_address, hour, gas_reserved)
select chain_id, user_address, date_trunc('hour', created_at, 'UTC'), sum(gas_reserved)
from submissions where created_at >= now() - interval '2 days' group by 1, 2, 3;
