import Type, { type Static } from 'typebox'
import type { StreamDelta, StreamSnapshot } from '../../http/stream-source.ts'
import { sleep } from '../../lib/clock.ts'
import type { Feed } from '../../push/source.ts'
import type { PerpContext } from '../context.ts'
import type { NamedBlock } from '../listing/pair.ts'
import { pairView } from '../market-data/pair-view.ts'
import { resolveChain } from '../market-data/resolve-pair.ts'
import { BLOCKS_HINT, type IndexedTip } from './indexed-tip.ts'
import { messageOf } from './message.ts'
import { lines } from './state-feed.ts'

/**
 * So much later than the database is asked for the trades of a block its number is told: to tell everybody takes long enough that they would
 * have to wait for it. Where a process is busy, both are there at the same time then, and go out together.
 */
const AFTER_TRADES_MS = 5
/**
 * And so much later than the number the market list is read: for it the node runs contracts of every pair, and it is the longest of all
 * messages. Trades, books and executions of the block need less and are waited for more.
 */
const AFTER_NUMBER_MS = 40

/** The newest indexed block (perp-api 7.4, `blockNumChanged`). */
export const blockNumSchema = Type.Object({
  chainId: Type.Integer(),
  blockNum: Type.Integer(),
  blockTime: Type.Integer({ description: 'Unix seconds.' }),
})

/** The market list as JSON, as of a block. */
interface MarketList {
  readonly block: NamedBlock
  readonly json: string
}

/** The feed of a process. */
export const commonFeed = (context: PerpContext, tip: IndexedTip): CommonFeed =>
  new CommonFeed(context.chainId, tip, async () => {
    const { block, pairs } = await context.summary()
    const views = pairs.map((pair) => JSON.stringify(pairView(pair, block.timestampSec)))
    return { block, json: `[${views.join(',')}]` }
  })

/**
 * Every block, and the market list when it changes. The number of a block is told as soon as it is indexed, its list once the node has
 * been asked for it: a sequence names the heights up to which each of them is told.
 */
export class CommonFeed implements Feed {
  readonly form = 'common with chainId'
  readonly hint = BLOCKS_HINT
  readonly #chainId: number
  readonly #tip: Pick<IndexedTip, 'height' | 'block'>
  readonly #read: () => Promise<MarketList>
  /** The list without its times as it was read last, at which height, and since which height it has been so. */
  #list = { essence: '', at: 0n, since: 0n }

  constructor(chainId: number, tip: Pick<IndexedTip, 'height' | 'block'>, read: () => Promise<MarketList>) {
    this.#chainId = chainId
    this.#tip = tip
    this.#read = read
  }

  async resolve(parameters: readonly string[]): Promise<readonly string[] | null> {
    return resolveChain({ chainId: this.#chainId }, parameters)
  }

  async heads(channels: readonly (readonly string[])[]): Promise<readonly bigint[]> {
    const height = await this.#tip.height()
    return channels.map(() => sequenceOf({ number: height, list: height }))
  }

  async snapshot(): Promise<StreamSnapshot> {
    const { block, message } = await this.#readList()
    return {
      sequence: sequenceOf({ number: block.height, list: block.height }),
      dataJson: lines([this.#number(block), { message }]),
    }
  }

  async deltas(_parameters: readonly string[], after: bigint, head?: bigint): Promise<readonly StreamDelta[] | null> {
    const told = toldBy(after)
    const block = await this.#tip.block(head === undefined ? undefined : toldBy(head).number, told.number)
    if (block.height < told.number) return null
    if (block.height > told.number) {
      await sleep(AFTER_TRADES_MS)
      return [deltaOf(after, { number: block.height, list: told.list }, [this.#number(block)])]
    }
    if (told.list === told.number) return []
    await sleep(AFTER_NUMBER_MS)
    return this.#listAfter(after)
  }

  release(): void {}

  /** The list, where it has changed since a follower was told one; with the number of its block, where that is a newer one meanwhile. */
  async #listAfter(after: bigint): Promise<readonly StreamDelta[] | null> {
    const told = toldBy(after)
    const { block, message } = await this.#readList()
    if (block.height < told.number) return null
    const number = block.height > told.number ? [this.#number(block)] : []
    const list = this.#list.since > told.list ? [{ message }] : []
    return [deltaOf(after, { number: block.height, list: block.height }, [...number, ...list])]
  }

  async #readList(): Promise<{ readonly block: NamedBlock; readonly message: string }> {
    const { block, json } = await this.#read()
    this.#note(block, withoutTime(json))
    return { block, message: messageOf({ stream: 'marketListChanged', chainId: this.#chainId }, json) }
  }

  /** What was read of an earlier block, at the same time or after a reorganisation, says nothing of the next one. */
  #note({ height }: NamedBlock, essence: string): void {
    const { at, since, essence: before } = this.#list
    if (height < at) this.#list = { essence: '', at: height, since: at }
    else this.#list = { essence, at: height, since: essence === before ? since : height }
  }

  #number({ height, timestampSec }: NamedBlock): { readonly message: string } {
    const chainId = this.#chainId
    const data: Static<typeof blockNumSchema> = { chainId, blockNum: Number(height), blockTime: Number(timestampSec) }
    return { message: messageOf({ stream: 'blockNumChanged', chainId }, JSON.stringify(data)) }
  }
}

/** The heights of the blocks whose number, and whose list, a follower was told last. */
interface Told {
  readonly number: bigint
  readonly list: bigint
}

const HEIGHT_BITS = 64n

const sequenceOf = ({ number, list }: Told): bigint => (number << HEIGHT_BITS) | list
const toldBy = (sequence: bigint): Told => ({
  number: sequence >> HEIGHT_BITS,
  list: BigInt.asUintN(Number(HEIGHT_BITS), sequence),
})

const deltaOf = (previous: bigint, told: Told, parts: readonly { readonly message: string }[]): StreamDelta => ({
  previous,
  sequence: sequenceOf(told),
  event: 'state',
  version: 1,
  timeMs: 0,
  dataJson: lines(parts),
})

/** Every block has another time: that alone is no change. */
export const withoutTime = (pairJson: string): string => pairJson.replaceAll(/"updateTime":\d+/g, '')
