import type { StreamDelta, StreamSnapshot } from '../../http/stream-source.ts'
import { sharedLookUps } from '../../lib/shared-look-ups.ts'
import type { Feed } from '../../push/source.ts'
import type { PerpContext } from '../context.ts'
import { resolveChain } from '../market-data/resolve-pair.ts'
import { BLOCKS_HINT, type IndexedTip } from './indexed-tip.ts'
import { messageOf } from './message.ts'
import { type Signal, type SignalRange, signalsOf } from './signal-store.ts'
import { signalView } from './signal-view.ts'
import { lines } from './state-feed.ts'

/** Signals of one message; whoever misses older ones reads again what the newest are about. */
const MAX_SIGNALS = 500

/**
 * That something of an account has changed: the API's reads say what. It begins with nothing. A sequence is a place
 * (`IndexedTip.place`); after a reorganisation it goes on with what the blocks hold that came in the place of the old ones.
 */
export class PortfolioFeed implements Feed {
  readonly form = 'portfolio with chainId and userAddress'
  readonly hint = BLOCKS_HINT
  readonly #context: PerpContext
  readonly #tip: IndexedTip
  /** Anybody may follow any address, thousands of them: what a block holds for all is read together. */
  readonly #signals: (range: SignalRange) => Promise<readonly Signal[]>

  constructor(context: PerpContext, tip: IndexedTip) {
    this.#context = context
    this.#tip = tip
    const { venue, chainId } = context
    this.#signals = sharedLookUps((ranges) => signalsOf(venue.sql, chainId, ranges, MAX_SIGNALS))
  }

  async resolve(parameters: readonly string[]): Promise<readonly string[] | null> {
    return resolveChain(this.#context, parameters)
  }

  async heads(channels: readonly (readonly string[])[]): Promise<readonly bigint[]> {
    const place = await this.#tip.place()
    return channels.map(() => place)
  }

  async snapshot(): Promise<StreamSnapshot> {
    return { sequence: await this.#tip.place(), dataJson: '' }
  }

  async deltas([, user = '']: readonly string[], after: bigint, head?: bigint): Promise<readonly StreamDelta[] | null> {
    const news = await this.#tip.news(after, head)
    const signals = await this.#signals({ trader: user, after: news.after, upTo: news.upTo })
    if (signals.length === 0) return []
    const dataJson = lines([...new Set(signals.map(messageText))].map((message) => ({ message })))
    return [{ previous: after, sequence: news.place, event: 'portfolio', version: 1, timeMs: 0, dataJson }]
  }

  release(): void {}
}

const messageText = (signal: Signal): string => messageOf({ stream: 'portfolio' }, JSON.stringify(signalView(signal)))
