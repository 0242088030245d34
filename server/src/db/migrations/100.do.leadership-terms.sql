-- The number of each leadership's present term: a leader that was frozen and has been replaced finds a later one, and its
-- transactions fail. Written by whoever takes the leadership.
create table leadership_terms (
  name text primary key,
  term bigint not null,
  started_at timestamptz not null default clock_timestamp()
);
