-- Written by: the keeper. Since when a task has been among the keeper's: one that hangs in its first round ever has no success to be old.
alter table keeper_tasks add column known_since timestamptz not null default now();
