-- Every signed write that was let in has a timestamp below this one. What remembers the nonces may lose them, with the process or with
-- Redis; then writes below it are refused. Raised by the api, never lowered.
create table write_mark (
  only_row boolean primary key default true check (only_row),
  below_ms bigint not null
);
insert into write_mark (below_ms) values (extract(epoch from clock_timestamp()) * 1000);
