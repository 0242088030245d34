import { aborted, sleep } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { fencedPool, startTerm } from './leadership-terms.ts'
import { inSession, keepAlive, LEASE_MS, type LockSession, openLockSession, setLease } from './lock-session.ts'
import type { Sql } from './pool.ts'

export interface LeadershipOptions {
  /** How often a standby tries to become the leader. */
  readonly retryMs?: number
  /** How long a leader may be silent before another takes over. */
  readonly leaseMs?: number
  /** How often the leader asks whether its session still lives; silence for as long ends the leadership. */
  readonly heartbeatMs?: number
  /** How long the work may take to end once the leadership is lost. */
  readonly endMs?: number
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
/** Longer than a statement may take, and than the node and the broker are waited for. */
const DEFAULT_END_MS = 60_000
/** A term begins once transactions of the one before have ended, for which the server lets a statement wait for 30 s. */
const TERM_LIMIT_MS = 40_000

/** Work that did not end with its leadership. */
class StuckWorkError extends Error {}

/**
 * Runs `work` in the one process that holds the advisory lock `name`; the others wait. The lock belongs to a session of
 * its own, so it ends with the process, and the server ends it `leaseMs` after the process has fallen silent, be it frozen
 * or cut off. When the session is lost, the signal given to `work` aborts and, once `work` has settled, this process
 * stands by again. Resolves when `work` has resolved as the leader, or when `signal` aborts; rejects with what `work`
 * threw as the leader, and when `work` has not ended `endMs` after its leadership: it may hang for long, as in a question to a host that has
 * vanished, and this process stands by for nobody meanwhile. Started anew, it does.
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
  const { retryMs = DEFAULT_RETRY_MS, leaseMs = LEASE_MS, endMs = DEFAULT_END_MS } = options
  const pace = { retryMs, leaseMs, endMs, heartbeatMs: options.heartbeatMs ?? leaseMs / 3 }
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
      if (
        typeof term === 'bigint' &&
        (await lead(session, signal, work, { name, sql: fencedPool(sql, name, term), pace }))
      )
        return
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
  const { leaseMs } = pace
  await inSession(session, setLease(session, leaseMs), leaseMs)
  while (!signal.aborted && !session.lost.aborted) {
    const asked = session.connection<{ acquired: boolean }[]>`
      select pg_try_advisory_lock(hashtextextended(${name}, 0)) as acquired`
    const [row] = await inSession(session, asked, leaseMs)
    if (row?.acquired) return await inSession(session, startTerm(session.connection, name), TERM_LIMIT_MS)
    await sleep(Math.min(pace.retryMs, pace.heartbeatMs), signal)
  }
  return null
}

/** True when `work` resolved and the leadership was held to its end. */
async function lead(
  session: LockSession,
  signal: AbortSignal,
  work: (leadership: Leadership) => Promise<void>,
  { name, sql, pace }: { readonly name: string; readonly sql: Sql; readonly pace: Pace },
): Promise<boolean> {
  const { heartbeatMs, leaseMs, endMs } = pace
  const done = new AbortController()
  const heart = keepAlive(session, heartbeatMs, leaseMs, done.signal)
  try {
    const working = work({ signal: AbortSignal.any([signal, session.lost]), sql })
    await Promise.race([working, stuckAfter(session.lost, endMs, name, done.signal)])
  } catch (error) {
    if (!session.lost.aborted || error instanceof StuckWorkError) throw error
  } finally {
    done.abort()
    await heart
  }
  return !session.lost.aborted
}

/** Rejects `endMs` after the leadership was lost, unless the work is `done` by then. */
async function stuckAfter(lost: AbortSignal, endMs: number, name: string, done: AbortSignal): Promise<void> {
  await aborted(AbortSignal.any([lost, done]))
  await sleep(endMs, done)
  if (!done.aborted)
    throw new StuckWorkError(`the work of ${name} has not ended ${endMs} ms after its leadership was lost`)
}
