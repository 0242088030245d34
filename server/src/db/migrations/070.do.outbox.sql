-- What clients are told, in the order in which they are told it. Rows are only added; partitions are dropped when they are
-- older than the retention (db/outbox-partitions.ts). A reorganisation adds what holds after it and takes nothing back, so
-- none of these tables is among those that the undo log covers.
create table outbox (
  channel text not null,
  -- Gapless in each channel, in the order of the commits: outbox_channels has the last one, its row locked by the writer.
  sequence bigint not null,
  event_id uuid not null default gen_random_uuid(),
  type text not null,
  version smallint not null,
  -- What the message is about, within its channel.
  subject text collate "C" not null,
  -- JSON as it goes over the wire, exact numbers included; null when the subject is no longer there.
  payload text,
  created_at timestamptz not null default clock_timestamp(),
  primary key (channel, sequence, created_at)
) partition by range (created_at);

create table outbox_channels (
  channel text primary key,
  sequence bigint not null
);

-- The newest payload of each subject: a snapshot is these rows with the channel's sequence, exactly what all messages up to
-- it add up to, however old they are.
create table outbox_records (
  channel text not null,
  subject text collate "C" not null,
  payload text not null,
  -- Snapshots show the newest first.
  sort_at timestamptz not null,
  primary key (channel, subject)
);
create index outbox_records_newest on outbox_records (channel, sort_at desc, subject);
