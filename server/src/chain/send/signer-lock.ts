import postgres from 'postgres'
import type { Sql } from '../../db/pool.ts'
import type { Lane } from './store.ts'

/** The right to be the one worker of a signer; it ends with its database connection. */
export interface SignerLock {
  /** False once the connection, and with it the lock, is gone. */
  isHeld(): Promise<boolean>
  release(): Promise<void>
}

const CLOSE_TIMEOUT_SEC = 2

/**
 * Takes the advisory lock of the signer on a connection of its own beside the pool, or returns null when somebody holds
 * it. Throws database errors. Correctness does not hang on the lock: rows change only from the state they were read in,
 * so that even two workers of one signer could not send an intent twice. It keeps them out of each other's way.
 */
export async function tryLockSigner(sql: Sql, lane: Lane): Promise<SignerLock | null> {
  const name = `transaction signer ${lane.chainId} ${lane.signer}`
  // A client for one lock only, and not `sql.reserve()`: a connection that the server closed is not to be used again.
  const client = postgres({ ...sql.options, max: 1, max_lifetime: null } as object)
  const close = () => client.end({ timeout: CLOSE_TIMEOUT_SEC })
  const release = async () => {
    // The server notices the end of a connection later than its client does; who comes next need not wait for that.
    client`select pg_advisory_unlock(hashtextextended(${name}, 0))`.catch(() => {})
    await close()
  }
  try {
    const [row] = await client<{ locked: boolean; pid: number }[]>`
      select pg_try_advisory_lock(hashtextextended(${name}, 0)) as locked, pg_backend_pid() as pid`
    if (row?.locked) return { isHeld: () => isBackend(client, row.pid), release }
  } catch (error) {
    await close()
    throw error
  }
  await close()
  return null
}

/** The driver reconnects by itself; the server's process id tells the new connection from the one with the lock. */
async function isBackend(client: postgres.Sql, pid: number): Promise<boolean> {
  const rows = await client<{ pid: number }[]>`select pg_backend_pid() as pid`.catch(() => [])
  return rows[0]?.pid === pid
}
