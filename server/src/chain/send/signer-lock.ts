import { inSession, keepAlive, LEASE_MS, type LockSession, openLockSession, setLease } from '../../db/lock-session.ts'
import type { Sql } from '../../db/pool.ts'
import type { Lane } from './store.ts'

/** The right to be the one who works for a signer, or for those that have nobody; it ends with its database session. */
export interface SignerLock {
  /** Aborts when this process knows that the session is gone, and the lock with it. */
  readonly lost: AbortSignal
  /** Asks the database: false once the session, and with it the lock, is gone. */
  isHeld(): Promise<boolean>
  release(): Promise<void>
}

const HEARTBEAT_MS = LEASE_MS / 3

/** Names the advisory lock of the signer's worker. */
export const signerLockName = ({ chainId, signer }: Lane): string => `transaction signer ${chainId} ${signer}`

/** Takes the lock of the signer's worker (`tryLock`). */
export const tryLockSigner = (sql: Sql, lane: Lane): Promise<SignerLock | null> => tryLock(sql, signerLockName(lane))

/**
 * Takes an advisory lock on a session of its own beside the pool, or returns null when somebody holds it.
 * A holder that is frozen or cut off loses it after the lease. Throws database errors. Correctness does not hang on the
 * lock: rows change only from the state they were read in, so that even two workers of one signer could not send an intent
 * twice. It keeps them out of each other's way.
 */
export async function tryLock(sql: Sql, name: string): Promise<SignerLock | null> {
  const session = openLockSession(sql)
  const { connection: client } = session
  try {
    await inSession(session, setLease(session, LEASE_MS), LEASE_MS)
    const asked = client<{ locked: boolean }[]>`
      select pg_try_advisory_lock(hashtextextended(${name}, 0)) as locked`
    const [row] = await inSession(session, asked, LEASE_MS)
    if (!row?.locked) {
      await session.close()
      return null
    }
  } catch (error) {
    await session.close()
    throw error
  }
  const done = new AbortController()
  const heart = keepAlive(session, HEARTBEAT_MS, LEASE_MS, done.signal)
  return {
    lost: session.lost,
    isHeld: () => answers(session),
    async release() {
      done.abort()
      await heart
      // The server notices the end of a session later than its client does; who comes next need not wait for that.
      if (!session.lost.aborted) client`select pg_advisory_unlock(hashtextextended(${name}, 0))`.catch(() => {})
      await session.close()
    },
  }
}

/** The driver reconnects by itself, but says first that the session with the lock has ended. */
async function answers({ connection, lost }: LockSession): Promise<boolean> {
  if (lost.aborted) return false
  const isThere = await connection`select 1`.then(
    () => true,
    () => false,
  )
  return isThere && !lost.aborted
}
