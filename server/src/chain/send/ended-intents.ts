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

/**
 * True for intents `i` that are final in a block above this one. The upper bound is for the planner: of a range it expects few rows and takes
 * their index, of what is above some block a third of all.
 */
export const finalAbove = (db: Db, block: ReturnType<typeof indexedBlock>) => db`
  (i.state = 'final' and i.block_number > ${block} and i.block_number <= 9223372036854775807)`

/** The highest id from `afterIntentId` on up to which each intent with the prefix has ended for good. */
export async function resolvedUpTo(db: Db, chainId: number, prefix: string, afterIntentId: bigint): Promise<bigint> {
  const isMeant = db`i.chain_id = ${chainId} and i.ordering_key like ${`${prefix}%`}`
  // Each kind has its index. Materialized, since their lowest id would be looked for from the first intent ever made on.
  const [row] = await db<{ upTo: bigint }[]>`
    with unresolved as materialized (
      select i.id from tx_intents i where ${isMeant} and i.state in ${unfinishedStates(db)}
      union all
      select i.id from tx_intents i where ${isMeant} and ${finalAbove(db, indexedBlock(db, chainId))}
    ), committed as (
      select id from tx_intents where chain_id = ${chainId} and created_at <= now() - ${COMMIT_WINDOW}::interval
      order by id desc limit 1)
    select greatest(${afterIntentId.toString()}::bigint, least(k.id, (select min(id) - 1 from unresolved))) as "upTo"
    from committed k join chain_checkpoints c on c.chain_id = ${chainId}`
  return row?.upTo ?? afterIntentId
}

/** An intent whose effect, if any, is in the indexed tables; the same outcome again is the same effect. */
export interface EndedIntent {
  readonly id: bigint
  /** Its state, and the hash of the block that it is mined in. */
  readonly outcome: string
}

/** The first intents with the prefix above `afterIntentId` that have ended, for now or for good. */
export async function endedIntents(
  db: Db,
  chainId: number,
  prefix: string,
  afterIntentId: bigint,
  limit: number,
): Promise<readonly EndedIntent[]> {
  return await db<EndedIntent[]>`
    select i.id, concat(i.state, ' ', i.block_hash) as outcome from tx_intents i
    where i.chain_id = ${chainId} and i.id > ${afterIntentId.toString()}::bigint
      and i.ordering_key like ${`${prefix}%`} and ${intentEnded(db, chainId)}
    order by i.id limit ${limit}`
}

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
