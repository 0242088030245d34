import type { Db } from '../../db/pool.ts'

type FollowerState = 'catching-up' | 'following' | 'behind' | 'halted'

/** How the indexer stands, from its tables; any role can read it. */
export interface FollowerStatus {
  readonly chainId: number
  /**
   * `catching-up`: blocks are missing and come in. `following`: the node's head is indexed. `behind`: the node has
   * nothing usable at the moment, see the reason. `halted`: an operator must act, see the reason; data stays readable.
   */
  readonly state: FollowerState
  readonly reason: string | null
  /** Newest block indexed; null before the first. */
  readonly indexedNumber: bigint | null
  readonly indexedHash: string | null
  readonly indexedTimestampSec: bigint | null
  readonly finalNumber: bigint | null
  /** The node's head as last seen. */
  readonly headNumber: bigint | null
  readonly lagBlocks: bigint | null
  /** True once the last report is older than one of a follower at work ever is: all else is then of that time. */
  readonly silent: boolean
  /** Wall time of the follower's last report. */
  readonly observedAt: Date
  /** Time since then by the database's clock, which wrote it: that of a process may be ahead or behind. */
  readonly observedAgeMs: number
}

/** What the follower reports of itself; the rest of the status is read from the checkpoint. */
export interface FollowerReport {
  readonly state: FollowerState
  readonly reason: string | null
  readonly headNumber: bigint | null
}

export async function writeReport(db: Db, chainId: number, report: FollowerReport): Promise<void> {
  await db`
    insert into follower_status (chain_id, state, reason, head_number, observed_at)
    values (${chainId}, ${report.state}, ${report.reason}, ${report.headNumber}, now())
    on conflict (chain_id) do update
    set state = excluded.state, reason = excluded.reason,
        head_number = coalesce(excluded.head_number, follower_status.head_number), observed_at = now()`
}

/** A follower that has been silent for this long counts as absent. */
const SILENT_MS = 10_000

/** The status of a chain's follower; null when none has ever run. */
export async function readFollowerStatus(db: Db, chainId: number): Promise<FollowerStatus | null> {
  const [row] = await db<Omit<FollowerStatus, 'chainId' | 'lagBlocks' | 'silent'>[]>`
    select s.state, s.reason, s.head_number as "headNumber", s.observed_at as "observedAt",
           (extract(epoch from clock_timestamp() - s.observed_at) * 1000)::float8 as "observedAgeMs",
           c.block_number as "indexedNumber", c.block_hash as "indexedHash", c.final_number as "finalNumber",
           b.timestamp_sec as "indexedTimestampSec"
    from follower_status s
    left join chain_checkpoints c using (chain_id)
    left join blocks b on b.chain_id = c.chain_id and b.number = c.block_number
    where s.chain_id = ${chainId}`
  if (!row) return null
  const silent = row.observedAgeMs > SILENT_MS
  return { chainId, ...row, lagBlocks: lag(row.headNumber, row.indexedNumber), silent }
}

function lag(head: bigint | null, indexed: bigint | null): bigint | null {
  if (head === null || indexed === null) return null
  return head > indexed ? head - indexed : 0n
}

/** The readiness of an indexer: its head is indexed, and it said so not long ago. */
export function isFollowing(status: FollowerStatus | null): boolean {
  return status?.state === 'following' && !status.silent
}
