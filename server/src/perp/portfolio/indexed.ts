import { inSnapshot, type Tx } from '../../db/pool.ts'
import type { Venue } from '../../http/product.ts'
import type { NamedBlock } from '../listing/pair.ts'
import { indexedBlock } from '../market-data/indexed-block.ts'

/** Rows, and the block up to which the chain had been indexed when they were read. */
export interface Indexed<T> {
  readonly block: NamedBlock
  readonly rows: T
}

/** Reads rows in one snapshot, together with the block that they are of. Throws `perp_not_indexed`. */
export const readIndexed = <T>(
  { sql, deployment: { chainId } }: Pick<Venue, 'sql' | 'deployment'>,
  read: (tx: Tx) => Promise<T>,
): Promise<Indexed<T>> =>
  inSnapshot(sql, async (tx) => ({ block: await indexedBlock(tx, chainId), rows: await read(tx) }))
