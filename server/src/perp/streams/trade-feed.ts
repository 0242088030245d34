import type { Hex } from '../../chain/types.ts'
import type { StreamDelta, StreamSnapshot } from '../../http/stream-source.ts'
import type { Feed } from '../../push/source.ts'
import type { PerpContext } from '../context.ts'
import type { Pair } from '../market-data/pair-reader.ts'
import { requirePair, resolveChain } from '../market-data/resolve-pair.ts'
import { listedAt } from '../portfolio/tokens.ts'
import { BLOCKS_HINT, type IndexedTip } from './indexed-tip.ts'
import { instrumentBook } from './instrument-book.ts'
import { messageOf } from './message.ts'
import { lines } from './state-feed.ts'
import { newestTrades } from './trade-store.ts'
import { tradeView } from './trade-view.ts'

const NOTHING_BEFORE = -1n

/**
 * Trades of pairs, the newest first ones at the beginning, then those of each block: a message for each pair that has any. A
 * sequence is a place (`IndexedTip.place`); after a reorganisation of what it was told, a follower begins anew.
 */
export class TradeFeed implements Feed {
  readonly form = 'trades with chainId and pairs, a list of <instrument>_<expiry>'
  readonly hint = BLOCKS_HINT
  readonly #context: PerpContext
  readonly #tip: IndexedTip
  readonly #listed: ReturnType<typeof instrumentBook>

  constructor(context: PerpContext, tip: IndexedTip) {
    this.#context = context
    this.#tip = tip
    this.#listed = instrumentBook(context.instruments)
  }

  async resolve(parameters: readonly string[]): Promise<readonly string[] | null> {
    resolveChain(this.#context, parameters)
    for (const { instrument, expiry } of pairsOf(parameters)) await requirePair(this.#context, instrument, expiry)
    return parameters
  }

  async heads(channels: readonly (readonly string[])[]): Promise<readonly bigint[]> {
    const place = await this.#tip.place()
    return channels.map(() => place)
  }

  async snapshot(parameters: readonly string[]): Promise<StreamSnapshot> {
    const sequence = await this.#tip.place()
    const { upTo } = await this.#tip.news(sequence, sequence)
    return { sequence, dataJson: await this.#messages(parameters, { after: NOTHING_BEFORE, upTo }) }
  }

  async deltas(parameters: readonly string[], after: bigint, head?: bigint): Promise<readonly StreamDelta[] | null> {
    const news = await this.#tip.news(after, head)
    if (news.isReorganised) return null
    const dataJson = news.after === news.upTo ? '' : await this.#messages(parameters, news)
    if (dataJson === '') return []
    return [{ previous: after, sequence: news.place, event: 'trades', version: 1, timeMs: 0, dataJson }]
  }

  release(): void {}

  async #messages(
    parameters: readonly string[],
    blocks: { readonly after: bigint; readonly upTo: bigint },
  ): Promise<string> {
    const { venue, chainId } = this.#context
    const limit = Number(parameters[1])
    const pairs = pairsOf(parameters)
    const trades = await newestTrades(venue.sql, chainId, pairs, blocks, limit)
    if (trades.length === 0) return ''
    const list = await this.#listed(pairs.map(({ instrument }) => instrument))
    const ofPairs = pairs.map((pair, nth) => ({ pair, own: trades.filter((trade) => trade.nth === nth) }))
    const told = ofPairs
      .filter(({ own }) => own.length > 0)
      .map(({ pair, own }) => {
        const instrument = listedAt(list, pair.instrument)
        const data = JSON.stringify(own.map((trade) => tradeView(chainId, instrument, pair, trade)))
        return { message: messageOf({ stream: 'trades', chainId, ...pair }, data) }
      })
    return lines(told)
  }
}

/** `<chain id>:<limit>:<instrument>_<expiry>,…` */
const pairsOf = (parameters: readonly string[]): readonly Pair[] =>
  (parameters[2] ?? '').split(',').map((pair) => {
    const [instrument, expiry] = pair.split('_')
    return { instrument: instrument as Hex, expiry: Number(expiry) }
  })
