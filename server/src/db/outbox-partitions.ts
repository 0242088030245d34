import type { Sql } from './pool.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const PARTITION_LOCK = 4_201_941
/** A partition that is being read is dropped later. */
const LOCK_TIMEOUT_MS = 2000

/**
 * Makes the outbox's partitions of today (UTC, by the database's clock) and tomorrow where they are missing. Any number of
 * processes may call it at once.
 */
export async function ensureOutboxPartitions(sql: Sql): Promise<void> {
  const nowMs = await databaseMs(sql)
  const days = [...new Set([nowMs - HOUR_MS, nowMs, nowMs + DAY_MS].map(dayOf))]
  const [found] = await sql<{ count: number }[]>`
    select count(to_regclass(name))::int as count from unnest(${days.map(nameOf)}::text[]) name`
  if (found?.count === days.length) return
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${PARTITION_LOCK})`
    for (const day of days) {
      const next = dayOf(Date.parse(day) + DAY_MS)
      await tx.unsafe(
        `create table if not exists ${nameOf(day)} partition of outbox
         for values from ('${day} 00:00:00+00') to ('${next} 00:00:00+00')`,
      )
    }
  })
}

/** Drops the partitions that hold nothing younger than `retentionDays` days. Returns how many. */
export async function dropOldOutboxPartitions(sql: Sql, retentionDays: number): Promise<number> {
  const oldest = nameOf(dayOf((await databaseMs(sql)) - retentionDays * DAY_MS))
  const old = await sql<{ name: string }[]>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'outbox'::regclass and c.relname < ${oldest} order by c.relname`
  for (const { name } of old) {
    await sql.begin(async (tx) => {
      await tx`select set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)`
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
