import type { Hex } from '../../chain/types.ts'
import { inSnapshot, type Tx } from '../../db/pool.ts'
import type { Venue } from '../../http/product.ts'
import { AppError } from '../../lib/errors.ts'
import type { NamedBlock } from '../listing/pair.ts'
import { perpReasons } from '../reasons.ts'

/** Rows, and the block up to which the chain had been indexed when they were read. */
export interface Indexed<T> {
  readonly block: NamedBlock
  readonly rows: T
}

/** Reads rows in one snapshot, together with the block that they are of. Throws `perp_not_indexed`. */
export function readIndexed<T>(
  { sql, deployment: { chainId } }: Pick<Venue, 'sql' | 'deployment'>,
  read: (tx: Tx) => Promise<T>,
): Promise<Indexed<T>> {
  return inSnapshot(sql, async (tx) => ({ block: await indexedBlock(tx, chainId), rows: await read(tx) }))
}

async function indexedBlock(tx: Tx, chainId: number): Promise<NamedBlock> {
  const [tip] = await tx<{ height: bigint; hash: Hex; timestampSec: bigint }[]>`
    select b.number as height, b.hash, b.timestamp_sec as "timestampSec"
    from chain_checkpoints c join blocks b on b.chain_id = c.chain_id and b.number = c.block_number
    where c.chain_id = ${chainId}`
  if (tip) return tip
  throw new AppError(perpReasons.perp_not_indexed, 'no block of the chain is indexed yet; try again later')
}
