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

/** What was read of a channel last: at which height, and since which block each part has been as it is. */
interface Known {
  readonly height: bigint
  readonly since: ReadonlyMap<string, { readonly essence: string; readonly height: bigint }>
}

/**
 * A feed of states. A sequence is the height of a block; of what came between two of them only the newest is told, and nothing of what has
 * not changed. A follower stands after a block that has been reorganised away begins anew.
 */
export class StateFeed implements Feed {
  readonly form: string
  readonly hint = BLOCKS_HINT
  readonly #tip: Pick<IndexedTip, 'height' | 'block'>
  readonly #channels: StateChannels
  readonly #known = new Map<string, Known>()

  constructor(tip: Pick<IndexedTip, 'height' | 'block'>, channels: StateChannels) {
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
    const known = this.#known.get(parameters.join(':'))
    const news = parts.filter(({ key }) => (known?.since.get(key)?.height ?? height) > after)
    if (news.length === 0) return []
    return [{ previous: after, sequence: height, event: 'state', version: 1, timeMs: 0, dataJson: lines(news) }]
  }

  release(parameters: readonly string[]): void {
    this.#known.delete(parameters.join(':'))
  }

  async #read(parameters: readonly string[], block: NamedBlock): Promise<State> {
    const state = await this.#channels.read(parameters, block)
    this.#note(parameters.join(':'), state)
    return state
  }

  /**
   * What was read of an earlier block, at the same time or after a reorganisation, says nothing of the next one; what another block of the
   * same height has otherwise is not known to be so since any height. Either is then told at the next height.
   */
  #note(name: string, { height, parts }: State): void {
    const known = this.#known.get(name)
    const isNext = known === undefined || height > known.height
    const isEarlier = known !== undefined && height < known.height
    const since = (isEarlier ? [] : parts).flatMap(({ key, essence }) => {
      const before = known?.since.get(key)
      if (before?.essence === essence) return [[key, before] as const]
      return isNext ? [[key, { essence, height }] as const] : []
    })
    this.#known.set(name, { height, since: new Map(since) })
  }
}

/** Messages as a payload: one a line, since JSON text holds no line breaks. */
export const lines = (parts: readonly { readonly message: string }[]): string =>
  parts.map(({ message }) => message).join('\n')
