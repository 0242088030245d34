import { isFollowing, readFollowerStatus } from '../chain/follow/status.ts'
import { relayerStatus } from '../chain/send/status.ts'
import type { OpenProduct, Venue } from '../http/product.ts'
import { hedgePositions } from '../market/broker-store.ts'
import { readTaskHealth } from './keeper-status.ts'

/** Why the tables cannot be served yet: the head is not indexed, or nobody says so. */
export async function notIndexed({ sql, deployment }: Venue): Promise<string[]> {
  const follower = await readFollowerStatus(sql, deployment.chainId)
  if (isFollowing(follower)) return []
  if (!follower) return ['no indexer has run yet']
  const reason = follower.reason ? `: ${follower.reason}` : ''
  return [follower.state === 'following' ? 'the indexer is silent' : `the indexer is ${follower.state}${reason}`]
}

/**
 * Indexed block, lag, relayer and keeper health, for people; of the keeper also what was executed and is
 * not settled (`hedge`), and what the products say.
 */
export async function venueStatus(
  { sql, deployment }: Venue,
  products: readonly Pick<OpenProduct, 'status'>[],
): Promise<unknown> {
  const { chainId } = deployment
  const fields = products.flatMap(({ status }) => Object.entries(status))
  const [indexer, relayer, tasks, hedge, ...said] = await Promise.all([
    readFollowerStatus(sql, chainId),
    relayerStatus(sql, chainId),
    readTaskHealth(sql, chainId),
    hedgePositions(sql, chainId),
    ...fields.map(([, read]) => read()),
  ])
  const keeper = { tasks, hedge, ...Object.fromEntries(fields.map(([name], index) => [name, said[index]])) }
  const text = JSON.stringify({ chainId, indexer, relayer, keeper }, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
  return JSON.parse(text)
}
