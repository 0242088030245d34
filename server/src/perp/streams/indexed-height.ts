import { BLOCKS_CHANNEL } from '../../chain/follow/store.ts'
import type { Db } from '../../db/pool.ts'

/** Notification of the database after which another block may be indexed. */
export const BLOCKS_HINT = BLOCKS_CHANNEL

/** Height of the newest indexed block; 0 before the first one. */
export async function indexedHeight(db: Db, chainId: number): Promise<bigint> {
  const [row] = await db<{ height: bigint }[]>`
    select number as height from blocks where chain_id = ${chainId} order by number desc limit 1`
  return row?.height ?? 0n
}
