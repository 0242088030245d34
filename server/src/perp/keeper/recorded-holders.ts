import type { Hex } from '../../chain/types.ts'
import type { Db } from '../../db/pool.ts'

export interface RecordedHolder {
  readonly instrument: Hex
  readonly expiry: number
  readonly account: Hex
}

/** Who holds something by the indexed tables, and up to which block they go; null before the first is indexed. */
export async function recordedHolders(
  db: Db,
  chainId: number,
): Promise<{ readonly block: bigint; readonly holders: readonly RecordedHolder[] } | null> {
  const [checkpoint] = await db<{ block: bigint }[]>`
    select block_number as block from chain_checkpoints where chain_id = ${chainId}`
  if (!checkpoint) return null
  const holders = await db<RecordedHolder[]>`
    select instrument, expiry::float8 as expiry, trader as account from (
      select instrument, expiry, trader from perp_positions
      where chain_id = ${chainId} and (size_wad <> 0 or balance_wad <> 0)
      union select instrument, expiry, trader from perp_orders where chain_id = ${chainId} and status = 'open'
      union select instrument, expiry, trader from perp_ranges where chain_id = ${chainId}) held`
  return { block: checkpoint.block, holders: [...holders] }
}
