-- A token that was traded before migration 260 has been known since then, not since the upgrade: a split of before the upgrade that nobody
-- has applied is still to be applied. Up to a week after the last split that was applied the operator had the token right, perhaps under
-- another ex-date than the source's.
update keeper_tokens n set known_since = earlier.since
from (
  select k.chain_id, k.token, greatest(min(k.taken_at), (
      select max(s.effective_at) + interval '7 days' from token_splits s
      where s.chain_id = k.chain_id and s.token = k.token and s.effective_at <= now()
    )) as since
  from taken_orders k group by k.chain_id, k.token
) earlier
where earlier.chain_id = n.chain_id and earlier.token = n.token and earlier.since < n.known_since;
