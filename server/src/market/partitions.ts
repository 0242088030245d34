import type { Sql } from '../db/pool.ts'

/** A table partitioned by time and how long one of its partitions is. */
export interface PartitionedTable {
  readonly name: string
  readonly months: number
}

export const MINUTE_BARS: PartitionedTable = { name: 'market_minute_bars', months: 1 }
/** Bars of 3 minutes to an hour. */
export const CANDLES: PartitionedTable = { name: 'market_candles', months: 12 }
/** A decade of days is some 2,500 rows a symbol: shorter partitions would only slow the reading. */
export const DAILY_BARS: PartitionedTable = { name: 'market_daily_bars', months: 120 }
export const WEEKLY_BARS: PartitionedTable = { name: 'market_weekly_bars', months: 120 }
export const EXECUTIONS: PartitionedTable = { name: 'broker_executions', months: 1 }

/** The Monday of the week that a date lies in; both as UTC midnight, Unix ms. */
export function mondayMs(dateMs: number): number {
  return dateMs - ((new Date(dateMs).getUTCDay() + 6) % 7) * 86_400_000
}

const PARTITION_LOCK = 4_201_940

/**
 * Makes the partitions that hold the given instants (Unix ms, UTC) where they are missing. Several processes may call it
 * at once. `known` remembers what exists, so that a periodic caller does not ask the database again.
 */
export async function ensurePartitions(
  sql: Sql,
  table: PartitionedTable,
  timesMs: readonly number[],
  known: Set<string> = new Set(),
): Promise<void> {
  const wanted = new Map(timesMs.map((timeMs) => [partitionName(table, timeMs), periodOf(table, timeMs)]))
  for (const [name, period] of wanted) {
    if (!known.has(name)) await createPartition(sql, table, name, period)
    known.add(name)
  }
}

async function createPartition(sql: Sql, table: PartitionedTable, name: string, period: number): Promise<void> {
  const [found] = await sql<{ name: string | null }[]>`select to_regclass(${name})::text as name`
  if (found?.name) return
  const [from, to] = [dateOf(table, period), dateOf(table, period + 1)]
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${PARTITION_LOCK})`
    await tx.unsafe(
      `create table if not exists ${name} partition of ${table.name} for values from ('${from}') to ('${to}')`,
    )
  })
}

function periodOf(table: PartitionedTable, timeMs: number): number {
  const time = new Date(timeMs)
  return Math.floor((time.getUTCFullYear() * 12 + time.getUTCMonth()) / table.months)
}

const partitionName = (table: PartitionedTable, timeMs: number): string =>
  `${table.name}_${dateOf(table, periodOf(table, timeMs)).slice(0, 7).replace('-', '_')}`

/** First day of a period. As a bound of timestamptz the plain date would be read in the session's zone, so it says UTC. */
function dateOf(table: PartitionedTable, period: number): string {
  const months = period * table.months
  const day = new Date(Date.UTC(Math.floor(months / 12), months % 12, 1)).toISOString().slice(0, 10)
  return `${day} 00:00:00+00`
}
