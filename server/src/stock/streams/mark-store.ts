import type { Hex } from '../../chain/types.ts'
import type { Db, Tx } from '../../db/pool.ts'
import { marksIn } from '../../push/marks.ts'
import type { ClaimType } from '../recording/claim-types.ts'

// Marks of changes (migration 071), and the claims that they concern.

export const { hasMarks, oldestMarkSec } = marksIn('stock_stream_marks')

export interface Marks {
  readonly count: number
  readonly txHashes: readonly Hex[]
  readonly claimIds: readonly string[]
}

/** Takes the oldest marks, `limit` at most. */
export async function takeMarks(tx: Tx, chainId: number, limit: number): Promise<Marks> {
  const rows = await tx<{ txHash: Hex | null; claimId: string | null }[]>`
    delete from stock_stream_marks where id in (
      select id from stock_stream_marks where chain_id = ${chainId} order by id limit ${limit}
    ) returning tx_hash as "txHash", claim_id as "claimId"`
  return {
    count: rows.length,
    txHashes: [...new Set(rows.flatMap(({ txHash }) => txHash ?? []))],
    claimIds: [...new Set(rows.flatMap(({ claimId }) => claimId ?? []))],
  }
}

export interface MarkedClaim {
  readonly claimId: string
  readonly apiKeyId: string
  readonly claimType: ClaimType
  readonly createdAt: Date
}

/** The claims that are marked, or that are claims to a marked transaction, earliest first. */
export async function claimsOfMarks(db: Db, chainId: number, { txHashes, claimIds }: Marks): Promise<MarkedClaim[]> {
  return await db<MarkedClaim[]>`
    select claim_id as "claimId", api_key_id as "apiKeyId", operation_type as "claimType", created_at as "createdAt"
    from stock_claims
    where chain_id = ${chainId} and claim_id in (
      select unnest(${claimIds as string[]}::uuid[])
      union
      select claim_id from stock_claims where chain_id = ${chainId} and tx_hash = any(${txHashes as string[]})
      union
      select c.claim_id from tx_attempts a join stock_claims c on c.chain_id = a.chain_id and c.intent_id = a.intent_id
      where a.chain_id = ${chainId} and a.hash = any(${txHashes as string[]})
    )
    order by created_at, claim_id`
}
