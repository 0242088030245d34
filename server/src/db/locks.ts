import postgres from 'postgres'
import { sleep } from '../lib/clock.ts'
import type { Sql } from './pool.ts'

export interface LeadershipOptions {
  /** How often a standby tries to become the leader. */
  readonly retryMs?: number
  /** How often the leader asks whether its session still lives; silence for as long ends the leadership. */
  readonly heartbeatMs?: number
}

const DEFAULT_RETRY_MS = 1000
const DEFAULT_HEARTBEAT_MS = 5000

/**
 * Runs `work` in the one process that holds the advisory lock `name`; the others wait. The lock belongs to a session of
 * its own, so it ends with the process. When the session is lost, the signal given to `work` aborts and, once `work` has
 * settled, this process stands by again. Resolves when `work` has resolved as the leader, or when `signal` aborts;
 * rejects with what `work` threw as the leader.
 *
 * A lost session is noticed a moment after another process may have taken over, so `work` must still fence its writes.
 */
export async function withLeadership(
  sql: Sql,
  name: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
  options: LeadershipOptions = {},
): Promise<void> {
  const retryMs = options.retryMs ?? DEFAULT_RETRY_MS
  while (!signal.aborted) {
    const session = openSession(sql)
    try {
      if (await acquire(session, name, retryMs, signal)) {
        const held = await lead(session, signal, work, options.heartbeatMs ?? DEFAULT_HEARTBEAT_MS)
        if (held) return
      }
    } finally {
      await session.close()
    }
    await sleep(retryMs, signal)
  }
}

interface Session {
  readonly connection: Sql
  /** Aborts when the session is gone, and its locks with it. */
  readonly lost: AbortSignal
  readonly lose: () => void
  close(): Promise<void>
}

/** A connection outside the pool that is never recycled; after a loss it must not be used, since it would reconnect. */
function openSession(sql: Sql): Session {
  const lost = new AbortController()
  const lose = () => lost.abort(new Error('the database session that held the leadership is lost'))
  const options = { ...sql.options, max: 1, idle_timeout: null, max_lifetime: null, onclose: lose }
  const connection = postgres(options as unknown as postgres.Options<never>) as unknown as Sql
  return { connection, lost: lost.signal, lose, close: () => connection.end({ timeout: 1 }) }
}

/**
 * Polls: a session that waited inside `pg_advisory_lock` would run one endless statement and hold vacuum back. Returns
 * false when the signal aborts or the session does not come up.
 */
async function acquire(session: Session, name: string, retryMs: number, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted && !session.lost.aborted) {
    const rows = await session.connection<{ acquired: boolean }[]>`
      select pg_try_advisory_lock(hashtextextended(${name}, 0)) as acquired`.catch(() => null)
    if (rows === null) return false
    if (rows[0]?.acquired) return true
    await sleep(retryMs, signal)
  }
  return false
}

/** True when `work` resolved and the leadership was held to its end. */
async function lead(
  session: Session,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
  heartbeatMs: number,
): Promise<boolean> {
  const done = new AbortController()
  const heart = beat(session, heartbeatMs, done.signal)
  try {
    await work(AbortSignal.any([signal, session.lost]))
  } catch (error) {
    if (!session.lost.aborted) throw error
  } finally {
    done.abort()
    await heart
  }
  return !session.lost.aborted
}

async function beat(session: Session, heartbeatMs: number, done: AbortSignal): Promise<void> {
  while (!done.aborted && !session.lost.aborted) {
    await sleep(heartbeatMs, AbortSignal.any([done, session.lost]))
    if (done.aborted || session.lost.aborted) return
    const answered = session.connection`select 1`.then(
      () => true,
      () => false,
    )
    if (!(await Promise.race([answered, sleep(heartbeatMs, done).then(() => done.aborted)]))) session.lose()
  }
}
