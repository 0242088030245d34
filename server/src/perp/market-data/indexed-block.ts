import type { Db } from '../../db/pool.ts'
import { AppError } from '../../lib/errors.ts'
import type { NamedBlock } from '../listing/pair.ts'
import { perpReasons } from '../reasons.ts'

/** The newest indexed block, of which the tables are. Throws `perp_not_indexed`. */
export async function indexedBlock(db: Db, chainId: number): Promise<NamedBlock> {
  const block = await readIndexedBlock(db, chainId)
  if (block) return block
  throw notIndexed()
}

/** The newest indexed block; null before the first one. */
export async function readIndexedBlock(db: Db, chainId: number): Promise<NamedBlock | null> {
  const [row] = await db<NamedBlock[]>`
    select number as height, hash, timestamp_sec as "timestampSec" from blocks
    where chain_id = ${chainId} order by number desc limit 1`
  return row ?? null
}

export const notIndexed = (): AppError =>
  new AppError(perpReasons.perp_not_indexed, 'the chain is not indexed yet; try again')
