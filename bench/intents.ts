import { randomUUID } from 'node:crypto'
import { insertIntent } from '../server/src/chain/send/intents.ts'
import type { Hex } from '../server/src/chain/types.ts'
import { inTransaction, type Sql } from '../server/src/db/pool.ts'
import { SUBMIT_PURPOSE } from '../server/src/delegation/submission.ts'

/** A call of the pool on a user's behalf. */
export interface PoolCall {
  readonly user: Hex
  readonly to: Hex
  readonly data: Hex
}

/** Queues calls for the relayer, all at once; those of one user stay in their order. */
export async function insertCalls(sql: Sql, chainId: number, calls: readonly PoolCall[]): Promise<void> {
  await inTransaction(sql, async (tx) => {
    for (const { user, to, data } of calls) {
      const dedupeKey = `bench:${randomUUID()}`
      await insertIntent(tx, { chainId, purpose: SUBMIT_PURPOSE, to, data, dedupeKey, orderingKey: `user:${user}` })
    }
  })
}

/** How many intents have succeeded on the chain, and how many never will. */
export async function countIntents(sql: Sql): Promise<{ mined: number; lost: number }> {
  const [row] = await sql<{ mined: number; lost: number }[]>`
    select count(*) filter (where outcome = 'succeeded')::int as mined,
      count(*) filter (where state in ('rejected', 'failed') or outcome = 'reverted')::int as lost
    from tx_intents where purpose = ${SUBMIT_PURPOSE}`
  return row ?? { mined: 0, lost: 0 }
}
