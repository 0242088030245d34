-- Each product has its own readings; those so far are of the stocks (reconciliation/reading-store.ts).
alter table reconciliation_readings add column product text not null default 'stock';
alter table reconciliation_readings alter column product drop default;
create index reconciliation_newest on reconciliation_readings (chain_id, product, reading_id desc);
