import type { Db } from '../../db/pool.ts'
import { unfinishedStates } from './intents.ts'

// Which intents have had their effect, if any, on the indexed tables: for whoever acts on what those tables say.

const indexedBlock = (db: Db, chainId: number) => db`
  (select block_number from chain_checkpoints where chain_id = ${chainId})`

/** True for intents `i` whose effect is in the indexed tables for good. */
const intentResolved = (db: Db, chainId: number) => db`
  (i.state in ('rejected', 'failed') or i.state = 'final' and i.block_number <= ${indexedBlock(db, chainId)})`

/**
 * True for intents `i` whose effect, if any, is in the indexed tables. The block is compared by hash: after a
 * reorganisation the relayer may still name a block that the indexer has left.
 */
const intentEnded = (db: Db, chainId: number) => db`
  (${intentResolved(db, chainId)} or i.state = 'mined' and exists (
    select from blocks b where b.chain_id = i.chain_id and b.number = i.block_number and b.hash = i.block_hash))`

/** Concurrent inserts may commit out of order; after this long none is outstanding. */
const COMMIT_WINDOW = '1 minute'

/** How far the intents with a prefix have ended for good. */
export interface Resolved {
  /** The highest id up to which each has; never below the one that was asked from. */
  readonly upTo: bigint
  /** Whether there is any above the one that was asked from. */
  readonly hasAny: boolean
}

/** Up to which intent above `afterIntentId` each with the prefix has ended for good. */
export async function resolvedIntents(
  db: Db,
  chainId: number,
  prefix: string,
  afterIntentId: bigint,
): Promise<Resolved> {
  const isMeant = db`i.ordering_key like ${`${prefix}%`}`
  const [row] = await db<Resolved[]>`
    select greatest(${afterIntentId.toString()}::bigint, coalesce(min(i.id) filter (
      where i.created_at > now() - ${COMMIT_WINDOW}::interval or ${isMeant} and not ${intentResolved(db, chainId)}
    ) - 1, max(i.id))) as "upTo", coalesce(bool_or(${isMeant}), false) as "hasAny"
    from tx_intents i where i.chain_id = ${chainId} and i.id > ${afterIntentId.toString()}::bigint`
  return row ?? { upTo: afterIntentId, hasAny: false }
}

/** An intent whose effect, if any, is in the indexed tables; the same outcome again is the same effect. */
export interface EndedIntent {
  readonly id: bigint
  /** Its state, and the hash of the block that it is mined in. */
  readonly outcome: string
}

/** The intents with the prefix above `afterIntentId` that have ended, for now or for good. */
export async function endedIntents(
  db: Db,
  chainId: number,
  prefix: string,
  afterIntentId: bigint,
): Promise<readonly EndedIntent[]> {
  return await db<EndedIntent[]>`
    select i.id, concat(i.state, ' ', i.block_hash) as outcome from tx_intents i
    where i.chain_id = ${chainId} and i.id > ${afterIntentId.toString()}::bigint
      and i.ordering_key like ${`${prefix}%`} and ${intentEnded(db, chainId)}`
}

/**
 * True for intents `i` that are final in a block above this one. The upper bound is for the planner: of a range it expects few rows and takes
 * their index, of what is above some block a third of all.
 */
export const finalAbove = (db: Db, block: ReturnType<typeof indexedBlock>) => db`
  (i.state = 'final' and i.block_number > ${block} and i.block_number <= 9223372036854775807)`

/** The intents that are still on their way to the indexed tables, as a table: each kind has its index. */
export const notIndexed = (db: Db, chainId: number) => db`(
  select * from tx_intents i
  where i.chain_id = ${chainId} and i.state in ${unfinishedStates(db)} and not ${intentEnded(db, chainId)}
  union all
  select * from tx_intents i where i.chain_id = ${chainId} and ${finalAbove(db, indexedBlock(db, chainId))})`

const busyKeys = (db: Db, chainId: number, prefix: string) => db`
  select distinct ordering_key as "orderingKey" from ${notIndexed(db, chainId)} i
  where ordering_key like ${`${prefix}%`}`

/** Ordering keys with the given prefix under which something is still on its way to the indexed tables. */
export async function busyOrderingKeys(db: Db, chainId: number, prefix: string): Promise<ReadonlySet<string>> {
  const rows = await db<{ orderingKey: string }[]>`${busyKeys(db, chainId, prefix)}`
  return new Set(rows.map(({ orderingKey }) => orderingKey))
}

/**
 * The block that the indexed tables stand at, with the effect of all that was ever sent under ordering keys with the prefix: who reads the
 * chain at it reads no state from before them. Null while something is still on its way there, or no block is indexed.
 */
export async function blockWithAll(db: Db, chainId: number, prefix: string): Promise<bigint | null> {
  const [row] = await db<{ blockNumber: bigint | null }[]>`
    select ${indexedBlock(db, chainId)} as "blockNumber" where not exists (${busyKeys(db, chainId, prefix)})`
  return row?.blockNumber ?? null
}
