import type { EventModule } from '../chain/follow/event-module.ts'
import { runFollower } from '../chain/follow/follower.ts'
import { withLeadership } from '../db/locks.ts'
import type { RoleContext } from './role.ts'

/** The role indexer: follows the chain into the tables, in one process at a time. Resolves when the signal aborts. */
export async function runIndexer(
  { venue, profile, signal }: RoleContext,
  modules: readonly EventModule[],
): Promise<void> {
  const { rpc, deployment, log } = venue
  await withLeadership(venue.sql, `bourse.indexer.${profile.chainId}`, signal, ({ sql, signal: held }) =>
    runFollower({ sql, rpc, profile, deployment, modules, signal: held, log }),
  )
}
