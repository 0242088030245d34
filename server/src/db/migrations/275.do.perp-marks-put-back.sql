-- Written by: the api. A record that cannot be told yet, such as a movement of a token of which the node does not say what it is, is marked
-- again and waits, so that it is not asked for all the time and holds up nobody else.
alter table perp_stream_marks add column not_before timestamptz not null default '-infinity';
