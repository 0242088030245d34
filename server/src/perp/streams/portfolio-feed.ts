import type { StreamDelta, StreamSnapshot } from '../../http/stream-source.ts'
import type { Feed } from '../../push/source.ts'
import type { PerpContext } from '../context.ts'
import { resolveChain } from '../market-data/resolve-pair.ts'
import { BLOCKS_HINT, type IndexedTip } from './indexed-tip.ts'
import { messageOf } from './message.ts'
import { type Signal, signalsOf } from './signal-store.ts'
import { lines } from './state-feed.ts'

/** Signals of one message; whoever misses older ones reads again what the newest are about. */
const MAX_SIGNALS = 500

/**
 * That something of an account has changed: the API's reads say what. It begins with nothing. A sequence is the height of a
 * block; after a reorganisation it goes on with what follows.
 */
export class PortfolioFeed implements Feed {
  readonly form = 'portfolio with chainId and userAddress'
  readonly hint = BLOCKS_HINT
  readonly #context: PerpContext
  readonly #tip: IndexedTip

  constructor(context: PerpContext, tip: IndexedTip) {
    this.#context = context
    this.#tip = tip
  }

  async resolve(parameters: readonly string[]): Promise<readonly string[] | null> {
    return resolveChain(this.#context, parameters)
  }

  async heads(channels: readonly (readonly string[])[]): Promise<readonly bigint[]> {
    const height = await this.#tip.height()
    return channels.map(() => height)
  }

  async snapshot(): Promise<StreamSnapshot> {
    return { sequence: await this.#tip.height(), dataJson: '' }
  }

  async deltas([, user = '']: readonly string[], after: bigint, head?: bigint): Promise<readonly StreamDelta[] | null> {
    const { venue, chainId } = this.#context
    const sequence = (await this.#tip.block(head, after)).height
    if (sequence < after) return null
    const signals = await signalsOf(venue.sql, chainId, user, { after, upTo: sequence }, MAX_SIGNALS)
    if (signals.length === 0) return []
    const dataJson = lines([...new Set(signals.map(messageText))].map((message) => ({ message })))
    return [{ previous: after, sequence, event: 'portfolio', version: 1, timeMs: 0, dataJson }]
  }

  release(): void {}
}

/** The message of a signal (perp-api 7.4, `portfolio`). */
function messageText({ kind, trader, pair, order }: Signal): string {
  const place = pair ? { instrument: pair.instrument, expiry: String(pair.expiry) } : {}
  const orderInfo = order?.id ? { oid: String(order.oid), orderId: String(order.id), type: order.change } : null
  const data = { type: kind, userAddress: trader, ...place, ...(orderInfo ? { orderInfo } : {}) }
  return messageOf({ stream: 'portfolio' }, JSON.stringify(data))
}
