import type { Db, Tx } from './pool.ts'

/** Channel of the hint that is sent when messages were added to the outbox; the payload is empty. */
export const OUTBOX_HINT = 'outbox'

/** A message to be added. */
export interface NewMessage {
  readonly channel: string
  readonly type: string
  /** Version of the payload's JSON shape. */
  readonly version: number
  /** What it is about, within its channel. */
  readonly subject: string
  /** JSON as it goes over the wire; null when the subject is no longer there. */
  readonly payload: string | null
  /** Where the subject stands among the channel's: snapshots show the latest first. */
  readonly sortAt: Date
}

/** A message of the outbox. */
export interface OutboxMessage {
  readonly sequence: bigint
  /** Unique, and the same whenever and wherever it is delivered. */
  readonly eventId: string
  readonly type: string
  readonly version: number
  readonly subject: string
  readonly payload: string | null
  readonly createdAt: Date
}

/**
 * Adds messages, each with the next sequence of its channel, in the caller's transaction, and keeps the records with which
 * snapshots begin. A subject occurs once in its channel. The rows of the channels stay locked until the transaction ends, so
 * sequences are gapless in the order of the commits. The partition for now must exist.
 */
export async function appendMessages(tx: Tx, messages: readonly NewMessage[]): Promise<void> {
  if (messages.length === 0) return
  const column = <T>(read: (message: NewMessage) => T) => messages.map(read)
  const input = tx`
    select * from unnest(
      ${column(({ channel }) => channel)}::text[], ${column(({ type }) => type)}::text[],
      ${column(({ version }) => version)}::smallint[], ${column(({ subject }) => subject)}::text[],
      ${column(({ payload }) => payload)}::text[], ${column(({ sortAt }) => sortAt.toISOString())}::text[]::timestamptz[]
    ) with ordinality as i (channel, type, version, subject, payload, sort_at, nth)`
  const added = tx`
    with input as (${input}), added as (
      select channel, count(*) as messages from input group by channel order by channel
    ), head as (
      insert into outbox_channels as c (channel, sequence) select channel, messages from added
      on conflict (channel) do update set sequence = c.sequence + excluded.sequence
      returning channel, sequence
    )
    insert into outbox (channel, sequence, type, version, subject, payload)
    select channel, head.sequence - added.messages + row_number() over (partition by channel order by input.nth),
      input.type, input.version, input.subject, input.payload
    from input join added using (channel) join head using (channel)`
  const kept = tx`
    with input as (${input}), gone as (
      delete from outbox_records r using input i
      where r.channel = i.channel and r.subject = i.subject and i.payload is null
    )
    insert into outbox_records (channel, subject, payload, sort_at)
    select channel, subject, payload, sort_at from input where payload is not null
    on conflict (channel, subject) do update set payload = excluded.payload, sort_at = excluded.sort_at`
  await Promise.all([added, kept, tx`select pg_notify(${OUTBOX_HINT}, '')`])
}

/** The newest sequence of each channel; 0 for one without messages. */
export async function loadHeads(db: Db, channels: readonly string[]): Promise<Map<string, bigint>> {
  const rows = await db<{ channel: string; sequence: bigint }[]>`
    select channel, sequence from outbox_channels where channel = any(${channels as string[]})`
  const heads = new Map(rows.map((row) => [row.channel, row.sequence]))
  return new Map(channels.map((channel) => [channel, heads.get(channel) ?? 0n]))
}

/** The oldest sequence of a channel that is still kept; null when none is. */
export async function oldestSequence(db: Db, channel: string): Promise<bigint | null> {
  const [row] = await db<{ oldest: bigint | null }[]>`
    select min(sequence) as oldest from outbox where channel = ${channel}`
  return row?.oldest ?? null
}

/** Where somebody stands in a channel. */
export interface OutboxPlace {
  readonly channel: string
  /** Sequence of the last message that is known. */
  readonly after: bigint
}

/**
 * The messages of each channel after a sequence, oldest first, `limit` at most. Null when they are no longer kept, or when the
 * channel has not come that far.
 */
export async function readMessagesOf(
  db: Db,
  places: readonly OutboxPlace[],
  limit: number,
): Promise<readonly (OutboxMessage[] | null)[]> {
  const rows = await db<(OutboxMessage & { nth: number; head: bigint })[]>`
    select place.nth::integer as nth, coalesce(c.sequence, 0) as head, o.*
    from unnest(${places.map(({ channel }) => channel)}::text[], ${places.map(({ after }) => String(after))}::bigint[])
      with ordinality as place (channel, after, nth)
    left join outbox_channels c on c.channel = place.channel
    left join lateral (
      select sequence, event_id as "eventId", type, version, subject, payload, created_at as "createdAt" from outbox
      where channel = place.channel and sequence > place.after order by outbox.sequence limit ${limit}
    ) o on true
    order by place.nth, o.sequence`
  const byPlace = Map.groupBy(rows, ({ nth }) => nth)
  return places.map(({ after }, index) => messagesAfter(after, byPlace.get(index + 1) ?? []))
}

function messagesAfter(
  after: bigint,
  rows: readonly (OutboxMessage & { nth: number; head: bigint })[],
): OutboxMessage[] | null {
  const head = rows[0]?.head ?? 0n
  if (head < after) return null
  if (head === after) return []
  // One that was dropped leaves a gap at the beginning: partitions go oldest first.
  return rows[0]?.sequence === after + 1n ? rows.map(({ nth: _nth, head: _head, ...message }) => message) : null
}

/** Those of one channel. See `readMessagesOf`. */
export async function readMessages(
  db: Db,
  channel: string,
  after: bigint,
  limit: number,
): Promise<OutboxMessage[] | null> {
  const [messages = null] = await readMessagesOf(db, [{ channel, after }], limit)
  return messages
}

export interface OutboxRecord {
  readonly subject: string
  readonly payload: string
}

/** What a channel's messages up to `sequence` add up to: its subjects, latest first, `limit` at most. */
export interface OutboxSnapshot {
  readonly sequence: bigint
  readonly total: number
  readonly records: readonly OutboxRecord[]
}

/** Reads a channel's snapshot, as of one moment. */
export async function readSnapshot(db: Db, channel: string, limit: number): Promise<OutboxSnapshot> {
  const rows = await db<{ sequence: bigint; total: number; subject: string | null; payload: string | null }[]>`
    select c.sequence, c.total, r.subject, r.payload from (
      select coalesce(max(sequence), 0) as sequence,
        (select count(*)::int from outbox_records where channel = ${channel}) as total
      from outbox_channels where channel = ${channel}
    ) c
    left join lateral (
      select subject, payload from outbox_records where channel = ${channel} order by sort_at desc, subject limit ${limit}
    ) r on true`
  const records = rows.flatMap(({ subject, payload }) =>
    subject === null || payload === null ? [] : [{ subject, payload }],
  )
  return { sequence: rows[0]?.sequence ?? 0n, total: rows[0]?.total ?? 0, records }
}

/**
 * The records of subjects, and of those below them (`<subject>/…`), by channel and subject. Subjects come without a slash.
 */
export async function findRecords(
  db: Db,
  wanted: readonly { readonly channel: string; readonly subject: string }[],
): Promise<(OutboxRecord & { readonly channel: string })[]> {
  // In byte order '0' follows '/'.
  return await db<(OutboxRecord & { channel: string })[]>`
    select r.channel, r.subject, r.payload
    from unnest(${wanted.map(({ channel }) => channel)}::text[], ${wanted.map(({ subject }) => subject)}::text[])
      as wanted (channel, subject)
    join outbox_records r on r.channel = wanted.channel and r.subject >= wanted.subject collate "C"
      and r.subject < (wanted.subject || '0') collate "C"
      and (r.subject = wanted.subject or starts_with(r.subject, wanted.subject || '/'))
    order by r.channel, r.subject collate "C"`
}
