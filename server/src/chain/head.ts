import type { Db } from '../db/pool.ts'

/** Unix seconds of the newest indexed block, the chain's own clock; null before the first one. */
export async function headTimestampSec(db: Db, chainId: number): Promise<bigint | null> {
  const rows = await db<{ timestampSec: bigint }[]>`
    select timestamp_sec as "timestampSec" from blocks where chain_id = ${chainId} order by number desc limit 1`
  return rows[0]?.timestampSec ?? null
}
