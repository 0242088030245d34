-- Funding and transfers of a pair are lists of their own, numbered as those of migration 131 are.
alter table perp_ledger
  add column pair_list text generated always as (
    case when kind = 'funding' then 'funding' when kind in ('scatter', 'gather') then 'pair' end
  ) stored,
  add column nth_of_pair bigint;

-- Rows that get their number change for nobody: they are neither undone nor told to followers.
alter table perp_ledger disable trigger user;
update perp_ledger stored set nth_of_pair = numbered.nth_of_pair
from (
  select chain_id, tx_hash, index_in_tx, kind,
    row_number() over (partition by chain_id, trader, pair_list, instrument, expiry order by nth) as nth_of_pair
  from perp_ledger where pair_list is not null
) numbered
where stored.chain_id = numbered.chain_id and stored.tx_hash = numbered.tx_hash
  and stored.index_in_tx = numbered.index_in_tx and stored.kind = numbered.kind;
alter table perp_ledger enable trigger user;

alter table perp_ledger add constraint perp_ledger_pair check ((nth_of_pair is not null) = (pair_list is not null));
create unique index perp_ledger_nth_of_pair
  on perp_ledger (chain_id, trader, pair_list, instrument, expiry, nth_of_pair) where nth_of_pair is not null;
create index perp_ledger_time_of_pair
  on perp_ledger (chain_id, trader, pair_list, instrument, expiry, at_sec, nth_of_pair) where nth_of_pair is not null;
