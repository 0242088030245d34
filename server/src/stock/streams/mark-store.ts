import type { Hex } from '../../chain/types.ts'
import type { Db, Tx } from '../../db/pool.ts'
import type { ClaimType } from '../recording/claim-types.ts'

// Marks of changes (migration 071), and the claims that they concern. Of those that are too many for one transaction the others are put back
// (migration 276).

/** That a claim has changed, or every claim to a transaction, or both. */
export interface Mark {
  readonly txHash: Hex | null
  readonly claimId: string | null
  /** As the database writes it, to the microsecond. */
  readonly markedAt: string
}

/** True when something is marked. */
export async function hasMarks(db: Db, chainId: number): Promise<boolean> {
  const [row] = await db<{ found: boolean }[]>`
    select exists (select from stock_stream_marks where chain_id = ${chainId}) as found`
  return row?.found === true
}

/** For how long the oldest mark has waited, in seconds; 0 when nothing is marked. */
export async function oldestMarkSec(db: Db, chainId: number): Promise<number> {
  // Not of the lowest id: a mark that is put back has a new one, and is as old as it was.
  const [row] = await db<{ sec: number | null }[]>`
    select extract(epoch from clock_timestamp() - min(marked_at))::float8 as sec from stock_stream_marks
    where chain_id = ${chainId}`
  return row?.sec ?? 0
}

/** Takes the oldest marks, `limit` at most: those of changes before those that were put back. */
export async function takeMarks(tx: Tx, chainId: number, limit: number): Promise<readonly Mark[]> {
  return await tx<Mark[]>`
    delete from stock_stream_marks where id in (
      select id from stock_stream_marks where chain_id = ${chainId} order by put_back, id limit ${limit}
    ) returning tx_hash as "txHash", claim_id as "claimId", marked_at::text as "markedAt"`
}

export interface MarkedClaim {
  readonly claimId: string
  readonly apiKeyId: string
  readonly claimType: ClaimType
  readonly createdAt: Date
}

/**
 * Of the claims that are marked, or that are claims to a marked transaction, `limit` at most, earliest first; the others are put back, as old
 * as they were. Anybody may claim a transaction, so of each mark the first claim comes before the second of any.
 */
export async function claimsOfMarks(
  tx: Tx,
  chainId: number,
  marks: readonly Mark[],
  limit: number,
): Promise<readonly MarkedClaim[]> {
  return await tx<MarkedClaim[]>`
    with marks as (
      select tx_hash, claim_id, marked_at
      from unnest(${marks.map(({ txHash }) => txHash)}::text[], ${marks.map(({ claimId }) => claimId)}::uuid[],
        ${marks.map(({ markedAt }) => markedAt)}::text[]::timestamptz[]) marks (tx_hash, claim_id, marked_at)
    ), hashes as (
      select tx_hash, min(marked_at) as marked_at from marks where tx_hash is not null group by tx_hash
    ), of_hashes as (
      select c.claim_id, h.tx_hash, h.marked_at
      from hashes h join stock_claims c on c.chain_id = ${chainId} and c.tx_hash = h.tx_hash
      union all
      select c.claim_id, h.tx_hash, h.marked_at
      from hashes h
      join tx_attempts a on a.chain_id = ${chainId} and a.hash = h.tx_hash
      join stock_claims c on c.chain_id = a.chain_id and c.intent_id = a.intent_id
    ), marked as (
      select claim_id, min(nth) as nth, min(marked_at) as marked_at from (
        select claim_id, 1 as nth, marked_at from marks where claim_id is not null
        union all
        select claim_id, row_number() over (partition by tx_hash order by claim_id), marked_at from of_hashes
      ) every group by claim_id
    ), in_turn as (
      select c.claim_id, c.api_key_id, c.operation_type, c.created_at, marked_at,
        row_number() over (order by nth, c.created_at, c.claim_id) as place
      from marked join stock_claims c using (claim_id) where c.chain_id = ${chainId}
    ), others as (
      insert into stock_stream_marks (chain_id, claim_id, marked_at, put_back)
      select ${chainId}, claim_id, marked_at, true from in_turn where place > ${limit} order by place
      on conflict (chain_id, claim_id) where put_back do nothing
    )
    select claim_id as "claimId", api_key_id as "apiKeyId", operation_type as "claimType", created_at as "createdAt"
    from in_turn where place <= ${limit} order by created_at, claim_id`
}
