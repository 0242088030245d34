import type { StreamDelta, StreamSnapshot } from '../../http/stream-source.ts'
import type { Feed } from '../../push/source.ts'
import type { PerpContext } from '../context.ts'
import { BLOCKS_HINT, indexedHeight } from './indexed-height.ts'
import { messageOf } from './message.ts'
import { requirePair, resolveChain } from './resolve.ts'
import { lines } from './state-feed.ts'
import { newestTrades } from './trade-store.ts'
import { tradeView } from './trade-view.ts'

const NOTHING_BEFORE = -1n

/**
 * Trades of pairs, the newest first ones at the beginning, then those of each block: a message for each pair that has any. A
 * sequence is the height of a block.
 */
export class TradeFeed implements Feed {
  readonly form = 'trades with chainId and pairs, a list of <instrument>_<expiry>'
  readonly hint = BLOCKS_HINT
  readonly #context: PerpContext

  constructor(context: PerpContext) {
    this.#context = context
  }

  async resolve(parameters: readonly string[]): Promise<readonly string[] | null> {
    resolveChain(this.#context, parameters)
    for (const { address, expiry } of pairsOf(parameters)) await requirePair(this.#context, address, expiry)
    return parameters
  }

  async heads(channels: readonly (readonly string[])[]): Promise<readonly bigint[]> {
    const height = await this.#height()
    return channels.map(() => height)
  }

  async snapshot(parameters: readonly string[]): Promise<StreamSnapshot> {
    const sequence = await this.#height()
    return { sequence, dataJson: await this.#messages(parameters, { after: NOTHING_BEFORE, upTo: sequence }) }
  }

  async deltas(parameters: readonly string[], after: bigint): Promise<readonly StreamDelta[] | null> {
    const sequence = await this.#height()
    if (sequence < after) return null
    const dataJson = sequence === after ? '' : await this.#messages(parameters, { after, upTo: sequence })
    if (dataJson === '') return []
    return [{ previous: after, sequence, event: 'trades', version: 1, timeMs: 0, dataJson }]
  }

  release(): void {}

  #height(): Promise<bigint> {
    return indexedHeight(this.#context.venue.sql, this.#context.chainId)
  }

  async #messages(
    parameters: readonly string[],
    blocks: { readonly after: bigint; readonly upTo: bigint },
  ): Promise<string> {
    const { venue, chainId } = this.#context
    const limit = Number(parameters[1])
    const told: { message: string }[] = []
    for (const { address, expiry } of pairsOf(parameters)) {
      const { instrument, pair } = await requirePair(this.#context, address, expiry)
      const trades = await newestTrades(venue.sql, chainId, pair, blocks, limit)
      if (trades.length === 0) continue
      const data = JSON.stringify(trades.map((trade) => tradeView(chainId, instrument, pair, trade)))
      told.push({ message: messageOf({ stream: 'trades', chainId, ...pair }, data) })
    }
    return lines(told)
  }
}

/** `<chain id>:<limit>:<instrument>_<expiry>,…` */
const pairsOf = (parameters: readonly string[]) =>
  (parameters[2] ?? '').split(',').map((pair) => {
    const [address = '', expiry] = pair.split('_')
    return { address, expiry: Number(expiry) }
  })
