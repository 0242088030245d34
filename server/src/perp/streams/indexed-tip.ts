import { BLOCKS_CHANNEL } from '../../chain/follow/store.ts'
import type { Db, Sql } from '../../db/pool.ts'
import { min } from '../../lib/bigints.ts'
import { shareNext } from '../../lib/share-next.ts'
import type { NamedBlock } from '../listing/pair.ts'
import { notIndexed } from '../market-data/indexed-block.ts'

/** Notification of the database after which another block may be indexed. */
export const BLOCKS_HINT = BLOCKS_CHANNEL

/** Of so many blocks that were the newest one it is looked whether they still stand. */
const REMEMBERED = 32
const HEIGHT_BITS = 64

/** The height of the block after which a follower stands. See `IndexedTip.place`. */
const heightOf = (place: bigint): bigint => BigInt.asUintN(HEIGHT_BITS, place)

/** What is new to a follower: all that is in the blocks after `after`, up to `upTo`. */
export interface News {
  /** Where it stands once it has been told. */
  readonly place: bigint
  readonly after: bigint
  readonly upTo: bigint
  /** The block after which it stood, or one before, may have been replaced. */
  readonly isReorganised: boolean
}

/** The newest indexed block, as the feeds of a process follow it. */
export class IndexedTip {
  readonly #read: () => Promise<NamedBlock | null>
  /** What was read last. */
  #last: NamedBlock | null = null
  /** Blocks that were the newest one when they were read, the last of them at the end. */
  #seen: readonly NamedBlock[] = []
  /** Of each reorganisation that was seen, the height of the newest of those blocks that it left. */
  readonly #forks: bigint[] = []

  constructor(sql: Sql, chainId: number) {
    this.#read = shareNext(() => this.#readNow(sql, chainId))
  }

  /** The height of the newest indexed block; 0 before the first one. Those who ask at the same time share one statement. */
  async height(): Promise<bigint> {
    return (await this.#read())?.height ?? 0n
  }

  /**
   * Where a follower stands that has been told everything: the height of the newest indexed block, and above it how many reorganisations
   * this process has seen, since another block of the same height is another place.
   */
  async place(): Promise<bigint> {
    await this.#read()
    return this.#place()
  }

  /** What is new to a follower at a place. A head that was just named is not asked for again. */
  async news(place: bigint, head?: bigint): Promise<News> {
    if (head === undefined || head !== this.#place()) await this.#read()
    const missed = this.#forks.slice(Number(place >> BigInt(HEIGHT_BITS)))
    const told = heightOf(place)
    const after = missed.reduce(min, told)
    return { place: this.#place(), after, upTo: this.#last?.height ?? 0n, isReorganised: after < told }
  }

  #place(): bigint {
    return (BigInt(this.#forks.length) << BigInt(HEIGHT_BITS)) | (this.#last?.height ?? 0n)
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
    const blocks = await readBlocks(
      db,
      chainId,
      this.#seen.map(({ height }) => height),
    )
    this.#last = blocks[0] ?? null
    this.#noteReorganisation(blocks)
    return this.#last
  }

  /** Takes note of those blocks that were the newest one and are there no longer. */
  #noteReorganisation(blocks: readonly NamedBlock[]): void {
    const newest = blocks[0] ?? null
    const hashes = new Map(blocks.map(({ height, hash }) => [height, hash]))
    const standing = this.#seen.filter(({ height, hash }) => {
      const now = hashes.get(height)
      // Old blocks are not kept for ever.
      return now === undefined ? newest !== null && height < newest.height : now === hash
    })
    const [oldest] = this.#seen
    if (oldest && standing.length < this.#seen.length) this.#forks.push(standing.at(-1)?.height ?? oldest.height - 1n)
    const before = standing.filter(({ height }) => height !== newest?.height)
    this.#seen = newest ? [...before, newest].slice(-REMEMBERED) : []
  }
}

/** The newest indexed block, first, and those at the heights. */
const readBlocks = (db: Db, chainId: number, heights: readonly bigint[]): Promise<NamedBlock[]> => {
  const columns = db`number as height, hash, timestamp_sec as "timestampSec"`
  return db<NamedBlock[]>`
    (select ${columns} from blocks where chain_id = ${chainId} order by number desc limit 1)
    union all
    select ${columns} from blocks where chain_id = ${chainId} and number = any(${heights.map(String)}::bigint[])
    order by height desc`
}
