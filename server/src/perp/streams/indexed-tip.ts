import { BLOCKS_CHANNEL } from '../../chain/follow/store.ts'
import type { Db, Sql } from '../../db/pool.ts'
import { shareNext } from '../../lib/share-next.ts'
import type { NamedBlock } from '../listing/pair.ts'
import { notIndexed, readIndexedBlock } from '../market-data/indexed-block.ts'

/** Notification of the database after which another block may be indexed. */
export const BLOCKS_HINT = BLOCKS_CHANNEL

/** The newest indexed block, as the feeds of a process follow it. */
export class IndexedTip {
  readonly #read: () => Promise<NamedBlock | null>
  /** What was read last. */
  #last: NamedBlock | null = null

  constructor(sql: Sql, chainId: number) {
    this.#read = shareNext(() => this.#readNow(sql, chainId))
  }

  /** The height of the newest indexed block; 0 before the first one. Those who ask at the same time share one statement. */
  async height(): Promise<bigint> {
    return (await this.#read())?.height ?? 0n
  }

  /**
   * The newest indexed block. What a feed has just named as its head is not asked for again, unless a follower stands after it: there
   * is a newer one then, or it has been reorganised away. Throws `perp_not_indexed`.
   */
  async block(head?: bigint, after?: bigint): Promise<NamedBlock> {
    const known = this.#last
    const isHead = known !== null && known.height === head && (after === undefined || after <= head)
    const block = isHead ? known : await this.#read()
    if (block) return block
    throw notIndexed()
  }

  async #readNow(db: Db, chainId: number): Promise<NamedBlock | null> {
    this.#last = await readIndexedBlock(db, chainId)
    return this.#last
  }
}
