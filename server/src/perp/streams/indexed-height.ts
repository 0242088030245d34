import { BLOCKS_CHANNEL } from '../../chain/follow/store.ts'
import type { Db, Sql } from '../../db/pool.ts'
import { shareNext } from '../../lib/share-next.ts'

/** Notification of the database after which another block may be indexed. */
export const BLOCKS_HINT = BLOCKS_CHANNEL

/** Gives the height of the newest indexed block; 0 before the first one. */
export type IndexedHeight = () => Promise<bigint>

/** Those who ask at the same time share one statement. */
export const openIndexedHeight = (sql: Sql, chainId: number): IndexedHeight =>
  shareNext(() => indexedHeight(sql, chainId))

async function indexedHeight(db: Db, chainId: number): Promise<bigint> {
  const [row] = await db<{ height: bigint }[]>`
    select number as height from blocks where chain_id = ${chainId} order by number desc limit 1`
  return row?.height ?? 0n
}
