import { setImmediate } from 'node:timers/promises'
import type { StreamDelta, StreamSnapshot } from '../../http/stream-source.ts'
import type { Feed } from '../../push/source.ts'
import type { NamedBlock } from '../listing/pair.ts'
import { BLOCKS_HINT, type IndexedTip } from './indexed-tip.ts'

/** One message of a channel as of a block. */
export interface StatePart {
  /** Names it among the channel's. */
  readonly key: string
  /** The message is told again when this changes. */
  readonly essence: string
  /** The message as it goes over the wire. */
  readonly message: string
}

/** What a channel tells at a block. */
export interface State {
  readonly height: bigint
  readonly parts: readonly StatePart[]
}

/** Channels whose messages are a state of the chain, read anew for each block. */
export interface StateChannels {
  /** What its names look like; for people. */
  readonly form: string
  /** See `Feed.resolve`. */
  resolve(parameters: readonly string[]): Promise<readonly string[] | null>
  /** The state at this block, the newest indexed one, or at a later one. */
  read(parameters: readonly string[], block: NamedBlock): Promise<State>
}

/** Since which block a part has been as it is. */
type Since = ReadonlyMap<string, { readonly essence: string; readonly height: bigint }>

/**
 * A feed of states. A sequence is the height of a block; of what came between two of them only the newest is told, and nothing of what has
 * not changed. A follower stands after a block that has been reorganised away begins anew.
 */
export class StateFeed implements Feed {
  readonly form: string
  readonly hint = BLOCKS_HINT
  readonly #tip: IndexedTip
  readonly #channels: StateChannels
  readonly #since = new Map<string, Since>()

  constructor(tip: IndexedTip, channels: StateChannels) {
    this.form = channels.form
    this.#tip = tip
    this.#channels = channels
  }

  resolve(parameters: readonly string[]): Promise<readonly string[] | null> {
    return this.#channels.resolve(parameters)
  }

  async heads(channels: readonly (readonly string[])[]): Promise<readonly bigint[]> {
    const height = await this.#tip.height()
    return channels.map(() => height)
  }

  async snapshot(parameters: readonly string[]): Promise<StreamSnapshot> {
    const { height, parts } = await this.#read(parameters, await this.#tip.block())
    return { sequence: height, dataJson: lines(parts) }
  }

  async deltas(parameters: readonly string[], after: bigint, head?: bigint): Promise<readonly StreamDelta[] | null> {
    const block = await this.#tip.block(head, after)
    // Feeds that ask the database alone go first: they are answered sooner than those that ask the node.
    await setImmediate()
    const { height, parts } = await this.#read(parameters, block)
    if (height < after) return null
    const since = this.#since.get(parameters.join(':'))
    const news = parts.filter(({ key }) => (since?.get(key)?.height ?? height) > after)
    if (news.length === 0) return []
    return [{ previous: after, sequence: height, event: 'state', version: 1, timeMs: 0, dataJson: lines(news) }]
  }

  release(parameters: readonly string[]): void {
    this.#since.delete(parameters.join(':'))
  }

  async #read(parameters: readonly string[], block: NamedBlock): Promise<State> {
    const state = await this.#channels.read(parameters, block)
    const name = parameters.join(':')
    const known = this.#since.get(name)
    const since = state.parts.map(({ key, essence }) => {
      const before = known?.get(key)
      const isSame = before?.essence === essence && before.height <= state.height
      return [key, isSame ? before : { essence, height: state.height }] as const
    })
    this.#since.set(name, new Map(since))
    return state
  }
}

/** Messages as a payload: one a line, since JSON text holds no line breaks. */
export const lines = (parts: readonly { readonly message: string }[]): string =>
  parts.map(({ message }) => message).join('\n')
