import { sleep } from '../lib/clock.ts'
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
  /** Gives the session up at once, whatever the server thinks of it. */
  readonly lose: () => void
  close(): Promise<void>
}

const CLOSE_TIMEOUT_SEC = 1

/**
 * Opens the session. The server ends it after `leaseMs` without a statement, so the holder has to ask it something more often
 * (`keepAlive`); TCP keepalives of the same length end a statement that hangs on a dead connection.
 */
export function openLockSession(sql: Sql, leaseMs: number = LEASE_MS): LockSession {
  const lost = new AbortController()
  const lose = () => lost.abort(new Error('the database session that held the lock is lost'))
  const leaseSec = Math.max(1, Math.ceil(leaseMs / 3000))
  const connection = ownConnection(sql, {
    idle_timeout: null,
    max_lifetime: null,
    onclose: lose,
    connection: {
      ...sql.options.connection,
      idle_session_timeout: leaseMs,
      tcp_keepalives_idle: leaseSec,
      tcp_keepalives_interval: leaseSec,
      tcp_keepalives_count: 2,
      tcp_user_timeout: leaseMs,
    },
  })
  return { connection, lost: lost.signal, lose, close: () => connection.end({ timeout: CLOSE_TIMEOUT_SEC }) }
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
