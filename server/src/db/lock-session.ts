import { sleep } from '../lib/clock.ts'
import { inTime, TimeLimitError } from '../lib/in-time.ts'
import { ownConnection, type Sql } from './pool.ts'

/**
 * How long a holder may be silent before the server ends its session and with it its locks: a process that is frozen with
 * its connection open, or a host that has vanished, must not hold a role for hours.
 */
export const LEASE_MS = 15_000

/** A connection of its own beside the pool, to hold session locks on. */
export interface LockSession {
  readonly connection: Sql
  /** Aborts when the session is gone, and its locks with it; the connection must not be used then, it would reconnect. */
  readonly lost: AbortSignal
  /** Gives the session up at once, whatever the server thinks of it: what waits for an answer on it fails. */
  readonly lose: () => void
  close(): Promise<void>
}

const CLOSE_TIMEOUT_SEC = 1

/** The server has said nothing on the session for as long as is waited, and the session is given up. */
export class SilentSessionError extends Error {
  override readonly name = 'SilentSessionError'
  /** Of a lost connection, as the driver's own: it passes. */
  readonly code = 'CONNECTION_SILENT'
}

/** The server does not keep the lease on this session; on the next one it may. */
export class LeaseNotKeptError extends Error {
  override readonly name = 'LeaseNotKeptError'
}

/** Opens the session. `setLease` comes before any lock. */
export function openLockSession(sql: Sql): LockSession {
  const lost = new AbortController()
  const lose = () => {
    lost.abort(new Error('the database session that held the lock is lost'))
    void connection.end({ timeout: 0 }).catch(() => {})
  }
  const connection: Sql = ownConnection(sql, {
    idle_timeout: null,
    max_lifetime: null,
    onclose: lose,
  })
  return { connection, lost: lost.signal, lose, close: () => connection.end({ timeout: CLOSE_TIMEOUT_SEC }) }
}

/**
 * What is asked on the session, which is lost when no answer comes within the limit: a host that has vanished with its connections open says
 * nothing for a quarter of an hour, and another one may have its name already. Throws `SilentSessionError` then.
 */
export async function inSession<T>(session: LockSession, answer: Promise<T>, limitMs: number): Promise<T> {
  try {
    return await inTime(answer, limitMs, 'a question on the session of a lock')
  } catch (error) {
    if (!(error instanceof TimeLimitError)) throw error
    session.lose()
    throw new SilentSessionError(`the database has said nothing on the session of a lock for ${limitMs} ms`)
  }
}

/**
 * Has the server end the session after `leaseMs` without a statement, so that the holder has to ask it something more often
 * (`keepAlive`); TCP keepalives of the same length end a statement that hangs on a dead connection. Set by statements: a pooler passes
 * on what it likes of the settings that a connection begins with. Throws `LeaseNotKeptError` where it is not kept by the next statement,
 * as without it a process that is frozen would hold its locks for ever. That does not rule out a pooler in transaction mode, which while
 * little is asked gives one session after the other to the same statements: only its configuration does.
 */
export async function setLease({ connection }: LockSession, leaseMs: number): Promise<void> {
  const leaseSec = String(Math.max(1, Math.ceil(leaseMs / 3000)))
  await connection`
    select set_config('idle_session_timeout', ${String(leaseMs)}, false),
      set_config('tcp_keepalives_idle', ${leaseSec}, false), set_config('tcp_keepalives_interval', ${leaseSec}, false),
      set_config('tcp_keepalives_count', '2', false), set_config('tcp_user_timeout', ${String(leaseMs)}, false)`
  // Asked in a statement of its own: between two, a pooler in transaction mode may change the session, or may not.
  const [kept] = await connection<{ setting: string }[]>`
    select setting from pg_settings where name = 'idle_session_timeout'`
  if (kept?.setting === String(leaseMs)) return
  throw new LeaseNotKeptError(
    `the database session did not keep idle_session_timeout = ${leaseMs}, it has ${kept?.setting ?? 'none'}: connect directly to PostgreSQL, or to a pooler in session mode (docs/operations.md, Leaders)`,
  )
}

/**
 * Keeps the session from going silent until `done` aborts: asks it something every `heartbeatMs`, and loses it when no answer
 * comes within as long, or when this process itself was held up for longer than the lease.
 */
export async function keepAlive(
  session: LockSession,
  heartbeatMs: number,
  leaseMs: number,
  done: AbortSignal,
): Promise<void> {
  const over = AbortSignal.any([done, session.lost])
  let heardAtMs = performance.now()
  while (!over.aborted) {
    await sleep(heartbeatMs, over)
    if (over.aborted) return
    // A process frozen for this long has been replaced, and need not wait for the connection to tell.
    if (performance.now() - heardAtMs > leaseMs + heartbeatMs) return session.lose()
    const answered = session.connection`select 1`.then(
      () => true,
      () => false,
    )
    if (!(await Promise.race([answered, sleep(heartbeatMs, over).then(() => over.aborted)]))) return session.lose()
    heardAtMs = performance.now()
  }
}
