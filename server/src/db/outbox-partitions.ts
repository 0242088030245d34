import type { Sql, Tx } from './pool.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const PARTITION_LOCK = 4_201_941
/**
 * A partition that is being read is dropped later: whoever waits for it has all that comes meanwhile to the outbox wait as well, and a
 * backup reads for hours.
 */
const DROP_WAIT_MS = 100

/**
 * Makes the outbox's partitions of today (UTC, by the database's clock) and tomorrow where they are missing. Any number of
 * processes may call it at once, and beside whoever reads or writes the outbox: a table that is attached, unlike one that is created as
 * a partition, waits for neither.
 */
export async function ensureOutboxPartitions(sql: Sql): Promise<void> {
  const nowMs = await databaseMs(sql)
  const days = [...new Set([nowMs - HOUR_MS, nowMs, nowMs + DAY_MS].map(dayOf))]
  const [found] = await sql<{ count: number }[]>`
    select count(to_regclass(name))::int as count from unnest(${days.map(nameOf)}::text[]) name`
  if (found?.count === days.length) return
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${PARTITION_LOCK})`
    for (const day of days) await makePartition(tx, day)
  })
}

async function makePartition(tx: Tx, day: string): Promise<void> {
  const name = nameOf(day)
  // By the catalog itself: a session may remember of a name that there was nothing, though another has made it since.
  const [made] = await tx`
    select from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'outbox'::regclass and c.relname = ${name}`
  if (made) return
  const next = dayOf(Date.parse(day) + DAY_MS)
  await tx.unsafe(`create table ${name} (like outbox including all)`)
  await tx.unsafe(
    `alter table outbox attach partition ${name} for values from ('${day} 00:00:00+00') to ('${next} 00:00:00+00')`,
  )
}

/** Drops the partitions that hold nothing younger than `retentionDays` days. Returns how many; throws when somebody reads one. */
export async function dropOldOutboxPartitions(sql: Sql, retentionDays: number): Promise<number> {
  const oldest = nameOf(dayOf((await databaseMs(sql)) - retentionDays * DAY_MS))
  const old = await sql<{ name: string }[]>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'outbox'::regclass and c.relname < ${oldest} order by c.relname`
  for (const { name } of old) {
    await sql.begin(async (tx) => {
      await tx`select set_config('lock_timeout', ${String(DROP_WAIT_MS)}, true)`
      await tx.unsafe(`drop table if exists "${name}"`)
    })
  }
  return old.length
}

async function databaseMs(sql: Sql): Promise<number> {
  const [row] = await sql<{ now: Date }[]>`select clock_timestamp() as now`
  return row?.now.getTime() ?? Date.now()
}

/** `2026-01-31`. */
const dayOf = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10)
const nameOf = (day: string): string => `outbox_${day.replaceAll('-', '_')}`
