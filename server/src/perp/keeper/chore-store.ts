import type { BlockRef } from '../../chain/follow/store.ts'
import { finalAbove } from '../../chain/send/ended-intents.ts'
import { unfinishedStates } from '../../chain/send/intents.ts'
import type { Hex } from '../../chain/types.ts'
import type { Db } from '../../db/pool.ts'

/**
 * Ordering keys with the prefix whose effect a block does not show: under way, or mined above it, also where that is final by now. The
 * block says it and not the indexed tables, since the keeper reads the chain itself and works on while the indexer stands still.
 */
export async function busyChores(
  db: Db,
  chainId: number,
  prefix: string,
  blockNumber: bigint,
): Promise<ReadonlySet<string>> {
  const isMeant = db`i.chain_id = ${chainId} and i.ordering_key like ${`${prefix}%`}`
  const shown = db`${blockNumber.toString()}::bigint`
  // Each kind has its index.
  const rows = await db<{ orderingKey: string }[]>`
    select i.ordering_key as "orderingKey" from tx_intents i
    where ${isMeant} and i.state in ${unfinishedStates(db)} and (i.state <> 'mined' or i.block_number > ${shown})
    union
    select i.ordering_key from tx_intents i where ${isMeant} and ${finalAbove(db, shown)}`
  return new Set(rows.map(({ orderingKey }) => orderingKey))
}

/** Ordering keys with the prefix of what is stored for a purpose and not signed yet. */
export async function queuedChores(
  db: Db,
  chainId: number,
  purpose: string,
  prefix: string,
): Promise<ReadonlySet<string>> {
  const rows = await db<{ orderingKey: string }[]>`
    select ordering_key as "orderingKey" from tx_intents
    where chain_id = ${chainId} and purpose = ${purpose} and state = 'queued' and ordering_key like ${`${prefix}%`}`
  return new Set(rows.map(({ orderingKey }) => orderingKey))
}

/** Where the newest intent of an ordering key stands, of those that are on the chain or may come to it. */
export interface LastOnChain {
  /** Null until it is mined. */
  readonly block: BlockRef | null
  readonly isFinal: boolean
}

/** Null where there is none. One signer sends those of an ordering key one after another: what is on the chain follows what was before it. */
export async function lastOnChain(db: Db, chainId: number, orderingKey: string): Promise<LastOnChain | null> {
  const [row] = await db<{ isFinal: boolean; number: bigint | null; hash: Hex | null }[]>`
    select state = 'final' as "isFinal", block_number as number, block_hash as hash from tx_intents
    where chain_id = ${chainId} and ordering_key = ${orderingKey} and state not in ('rejected', 'failed')
    order by id desc limit 1`
  if (!row) return null
  const { isFinal, number, hash } = row
  return { isFinal, block: number === null || hash === null ? null : { number, hash } }
}

/** What was sent for a subject in one state before. */
export interface EarlierAttempts {
  readonly attempts: number
  readonly last: {
    readonly id: bigint
    readonly hasFailed: boolean
    /** By its simulation: it was never sent. */
    readonly wasRejected: boolean
    readonly problem: string | null
  } | null
}

/** The attempts of a chore, told by the beginning of their dedupe keys. */
export async function earlierAttempts(
  db: Db,
  chainId: number,
  { orderingKey, state }: { readonly orderingKey: string; readonly state: string },
): Promise<EarlierAttempts> {
  const rows = await db<NonNullable<EarlierAttempts['last']>[]>`
    select id, problem, state = 'rejected' as "wasRejected",
      state in ('rejected', 'failed') or coalesce(outcome = 'reverted', false) as "hasFailed"
    from tx_intents
    where chain_id = ${chainId} and ordering_key = ${orderingKey} and starts_with(dedupe_key, ${`${orderingKey}:${state}:`})
    order by id desc`
  return { attempts: rows.length, last: rows[0] ?? null }
}

/** How many transactions of the ordering key the chain has reverted since the last one that succeeded. */
export async function revertsInARow(db: Db, chainId: number, orderingKey: string): Promise<number> {
  const [row] = await db<{ reverts: number }[]>`
    select count(*)::int as reverts from tx_intents
    where chain_id = ${chainId} and ordering_key = ${orderingKey} and outcome = 'reverted' and id > coalesce((
      select max(id) from tx_intents
      where chain_id = ${chainId} and ordering_key = ${orderingKey} and outcome = 'succeeded'), 0)`
  return row?.reverts ?? 0
}
