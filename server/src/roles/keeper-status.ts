import type { Db } from '../db/pool.ts'

/** One task of the keeper, since the process that runs it began to lead. */
export interface TaskHealth {
  readonly task: string
  rounds: number
  failuresInARow: number
  lastError: string | null
  lastSuccessAt: Date | null
}

/**
 * Writes the tasks' health. A task that has not succeeded under this leader keeps the time of when it last did: one that hangs must look
 * as old as it is.
 */
export async function writeTaskHealth(db: Db, chainId: number, tasks: readonly TaskHealth[]): Promise<void> {
  await db`
    insert into keeper_tasks (chain_id, task, rounds, failures_in_a_row, last_error, last_success_at, reported_at)
    select ${chainId}, *, now() from unnest(
      ${tasks.map(({ task }) => task)}::text[], ${tasks.map(({ rounds }) => rounds)}::bigint[],
      ${tasks.map(({ failuresInARow }) => failuresInARow)}::int[], ${tasks.map(({ lastError }) => lastError)}::text[],
      ${tasks.map(({ lastSuccessAt }) => lastSuccessAt?.toISOString() ?? null)}::timestamptz[])
    on conflict (chain_id, task) do update set
      rounds = excluded.rounds, failures_in_a_row = excluded.failures_in_a_row, last_error = excluded.last_error,
      last_success_at = coalesce(excluded.last_success_at, keeper_tasks.last_success_at), reported_at = excluded.reported_at`
}

/** Forgets what the leader has no task for, as another version or another broker had: nobody would ever report it again. */
export async function forgetOtherTasks(db: Db, chainId: number, tasks: readonly TaskHealth[]): Promise<void> {
  await db`
    delete from keeper_tasks where chain_id = ${chainId} and task <> all(${tasks.map(({ task }) => task)}::text[])`
}

/** A task for /status; `reportedAt` grows old when no keeper runs. */
export interface TaskStatus extends TaskHealth {
  /** Since when it has been among the keeper's tasks, under whatever leader. */
  readonly knownSince: Date
  readonly reportedAt: Date
}

export async function readTaskHealth(db: Db, chainId: number): Promise<TaskStatus[]> {
  return await db<TaskStatus[]>`
    select task, rounds::int, failures_in_a_row as "failuresInARow", last_error as "lastError",
      last_success_at as "lastSuccessAt", known_since as "knownSince", reported_at as "reportedAt"
    from keeper_tasks where chain_id = ${chainId} order by task`
}
