import { isFollowing, readFollowerStatus } from '../chain/follow/status.ts'
import { relayerStatus } from '../chain/send/status.ts'
import type { Venue } from '../http/product.ts'
import { hedgePositions } from '../market/broker-store.ts'
import { sumHedges } from '../stock/keeper/hedges.ts'
import { listTokenSplits } from '../stock/keeper/split-store.ts'
import { latestReading } from '../stock/reconciliation/reading-store.ts'
import { summaryOf, suppliesOf } from '../stock/reconciliation/report.ts'
import { readTaskHealth } from './keeper-status.ts'

/** An indexer that has not reported for so long is not there. */
const SILENT_MS = 10_000

/** Why this process cannot serve yet: the head is not indexed, or the database is away (design 6, /readyz). */
export async function notReady({ sql, deployment, clock }: Venue): Promise<string[]> {
  try {
    const follower = await readFollowerStatus(sql, deployment.chainId)
    if (isFollowing(follower, clock.nowMs(), SILENT_MS)) return []
    if (!follower) return ['no indexer has run yet']
    const reason = follower.reason ? `: ${follower.reason}` : ''
    return [follower.state === 'following' ? 'the indexer is silent' : `the indexer is ${follower.state}${reason}`]
  } catch {
    return ['the database does not answer']
  }
}

/**
 * Indexed block, lag, relayer and keeper health, for people (design 6, /status); of the keeper also what was executed and is
 * not settled (`hedge`), what of it stays with the venue (`hedges`), each token's supply, how broker, database and chain
 * compare (`reconciliation`), and the splits of tokens.
 */
export async function venueStatus({ sql, deployment }: Venue): Promise<unknown> {
  const { chainId } = deployment
  const [indexer, relayer, tasks, hedge, hedges, reading, splits] = await Promise.all([
    readFollowerStatus(sql, chainId),
    relayerStatus(sql, chainId),
    readTaskHealth(sql, chainId),
    hedgePositions(sql, chainId),
    sumHedges(sql, chainId),
    latestReading(sql, chainId),
    listTokenSplits(sql, chainId),
  ])
  const supply = suppliesOf(reading)
  const keeper = { tasks, hedge, hedges, supply, reconciliation: summaryOf(reading), splits }
  const text = JSON.stringify({ chainId, indexer, relayer, keeper }, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
  return JSON.parse(text)
}
