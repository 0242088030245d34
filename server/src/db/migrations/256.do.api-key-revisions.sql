-- What each change of the keys was, by a stamp that no other has: a database that lost its newest commits gives the numbers of these out
-- again, and whoever read keys knows by the stamp of what he read last whether it is still there. Written with each change of api_keys.
create table api_key_revisions (
  revision bigint primary key,
  stamp uuid not null default gen_random_uuid()
);
insert into api_key_revisions (revision) select distinct revision from api_keys;
