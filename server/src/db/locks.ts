import { sleep } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { fencedPool, startTerm } from './leadership-terms.ts'
import { keepAlive, LEASE_MS, type LockSession, openLockSession, setLease } from './lock-session.ts'
import type { Sql } from './pool.ts'

export interface LeadershipOptions {
  /** How often a standby tries to become the leader. */
  readonly retryMs?: number
  /** How long a leader may be silent before another takes over. */
  readonly leaseMs?: number
  /** How often the leader asks whether its session still lives; silence for as long ends the leadership. */
  readonly heartbeatMs?: number
  /** Told once, when the lock cannot be tried for. */
  readonly log?: Pick<Logger, 'warn'>
}

/** What a leader works with. */
export interface Leadership {
  /** Aborts when the leadership ends. */
  readonly signal: AbortSignal
  /** The pool, whose transactions fail once another process leads. */
  readonly sql: Sql
}

const DEFAULT_RETRY_MS = 1000

/**
 * Runs `work` in the one process that holds the advisory lock `name`; the others wait. The lock belongs to a session of
 * its own, so it ends with the process, and the server ends it `leaseMs` after the process has fallen silent, be it frozen
 * or cut off. When the session is lost, the signal given to `work` aborts and, once `work` has settled, this process
 * stands by again. Resolves when `work` has resolved as the leader, or when `signal` aborts; rejects with what `work`
 * threw as the leader.
 *
 * Who wakes up after another has taken over notices only a moment later. Until then the transactions of the pool that
 * `work` gets are fenced: they fail with `StaleTermError` and change nothing.
 */
export async function withLeadership(
  sql: Sql,
  name: string,
  signal: AbortSignal,
  work: (leadership: Leadership) => Promise<void>,
  options: LeadershipOptions = {},
): Promise<void> {
  const { retryMs = DEFAULT_RETRY_MS, leaseMs = LEASE_MS } = options
  const pace = { retryMs, leaseMs, heartbeatMs: options.heartbeatMs ?? leaseMs / 3 }
  let isTold = false
  const failed = (err: unknown) => {
    if (!isTold) options.log?.warn({ err }, `the leadership ${name} cannot be had and is tried again`)
    isTold = true
  }
  while (!signal.aborted) {
    const session = openLockSession(sql)
    try {
      const term = await acquire(session, name, pace, signal).catch(failed)
      if (term !== undefined) isTold = false
      if (typeof term === 'bigint' && (await lead(session, signal, work, fencedPool(sql, name, term), pace))) return
    } finally {
      await session.close()
    }
    await sleep(retryMs, signal)
  }
}

type Pace = Required<Omit<LeadershipOptions, 'log'>>

/**
 * Polls: a session that waited inside `pg_advisory_lock` would run one endless statement and hold vacuum back. Returns
 * the term, or null when the signal aborts or the session is lost; throws what is wrong with the session.
 */
async function acquire(session: LockSession, name: string, pace: Pace, signal: AbortSignal): Promise<bigint | null> {
  await setLease(session, pace.leaseMs)
  while (!signal.aborted && !session.lost.aborted) {
    const [row] = await session.connection<{ acquired: boolean }[]>`
      select pg_try_advisory_lock(hashtextextended(${name}, 0)) as acquired`
    if (row?.acquired) return await startTerm(session.connection, name)
    await sleep(Math.min(pace.retryMs, pace.heartbeatMs), signal)
  }
  return null
}

/** True when `work` resolved and the leadership was held to its end. */
async function lead(
  session: LockSession,
  signal: AbortSignal,
  work: (leadership: Leadership) => Promise<void>,
  sql: Sql,
  { heartbeatMs, leaseMs }: Pace,
): Promise<boolean> {
  const done = new AbortController()
  const heart = keepAlive(session, heartbeatMs, leaseMs, done.signal)
  try {
    await work({ signal: AbortSignal.any([signal, session.lost]), sql })
  } catch (error) {
    if (!session.lost.aborted) throw error
  } finally {
    done.abort()
    await heart
  }
  return !session.lost.aborted
}
