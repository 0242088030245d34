-- Since when a change waits to be published: a publisher that stands shows by the oldest.
alter table stock_stream_marks add column marked_at timestamptz not null default now();
alter table perp_stream_marks add column marked_at timestamptz not null default now();
