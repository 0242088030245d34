-- What operators did. Rows are only ever added.
create table operator_audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  actor text not null,
  action text not null,
  subject text not null,
  detail jsonb not null
);
create index operator_audit_log_subject on operator_audit_log (subject, id);

create function refuse_change_of_audit_log() returns trigger language plpgsql as $$
begin
  raise exception 'operator_audit_log only takes new rows';
end
$$;

create trigger operator_audit_log_is_append_only
  before update or delete or truncate on operator_audit_log
  for each statement execute function refuse_change_of_audit_log();
