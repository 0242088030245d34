-- How each task of the keeper fares, for /status. Written by the keeper, once a second.
create table keeper_tasks (
  chain_id bigint not null,
  task text not null,
  rounds bigint not null,
  failures_in_a_row integer not null,
  last_error text,
  last_success_at timestamptz,
  reported_at timestamptz not null,
  primary key (chain_id, task)
);
