import type { EventModule } from '../chain/follow/event-module.ts'
import { runFollower } from '../chain/follow/follower.ts'
import { type Leadership, withLeadership } from '../db/locks.ts'
import { ownConnection } from '../db/pool.ts'
import type { RoleContext } from './role.ts'

/** A connection that hangs must not hold up the end. */
const CLOSE_TIMEOUT_SEC = 1

/**
 * The role indexer: follows the chain into the tables, in one process at a time, over a connection that does nothing else. Resolves when
 * the signal aborts.
 */
export async function runIndexer(
  { venue, profile, signal }: RoleContext,
  modules: readonly EventModule[],
): Promise<void> {
  const { rpc, deployment, log } = venue
  const connection = ownConnection(venue.sql)
  try {
    const follow = ({ sql, signal: held }: Leadership) =>
      runFollower({ sql, rpc, profile, deployment, modules, signal: held, log })
    await withLeadership(connection, `bourse.indexer.${profile.chainId}`, signal, follow, { log })
  } finally {
    await connection.end({ timeout: CLOSE_TIMEOUT_SEC })
  }
}
