import { boundUser } from '../auth/bound-user.ts'
import {
  loadHeads,
  OUTBOX_HINT,
  type OutboxMessage,
  type OutboxPlace,
  readMessagesOf,
  readSnapshot,
} from '../db/outbox.ts'
import type { Sql } from '../db/pool.ts'
import type { Caller } from '../http/caller.ts'
import type { StreamDelta, StreamSnapshot, StreamSource } from '../http/stream-source.ts'
import { AppError } from '../lib/errors.ts'
import { sharedLookUps } from '../lib/shared-look-ups.ts'
import { type KeyChannels, outboxChannel, ownerOf } from './key-channels.ts'
import { pushReasons } from './reasons.ts'

/** Records in a snapshot, the newest; the product's lists have the others. */
const SNAPSHOT_RECORDS = 200
const PAGE_MESSAGES = 100

/**
 * Channels that are the same for everybody and kept nowhere: `<feed>:<parameter>:…`, read anew from the product's tables and
 * conflated. The feed's functions take the parameters, as `resolve` gave them.
 */
export interface Feed {
  /** What its channels' names look like, such as `quotes:{symbol}`; for people. */
  readonly form: string
  /** Notification of the database after which its heads may have moved. */
  readonly hint: string
  /** The parameters in the venue's own spelling; null when a channel has not this form. Throws an `AppError`. */
  resolve(parameters: readonly string[]): Promise<readonly string[] | null>
  /** The newest sequence of each channel, in order, looked up for all at once. */
  heads(channels: readonly (readonly string[])[]): Promise<readonly bigint[]>
  snapshot(parameters: readonly string[]): Promise<StreamSnapshot>
  /** See `StreamSource.deltas`. */
  deltas(parameters: readonly string[], after: bigint, head?: bigint): Promise<readonly StreamDelta[] | null>
  /** Nobody follows the channel any more. */
  release(parameters: readonly string[]): void
}

/** What a product streams: private channels, and feeds by the first part of their channels' names. */
export interface PushedChannels {
  readonly keyChannels: KeyChannels
  readonly feeds: ReadonlyMap<string, Feed>
}

/** The stream of a product: private channels from the outbox, where a key follows; feeds from where they are kept. */
export class PushSource implements StreamSource<Caller | null> {
  readonly hints: readonly string[]
  readonly #sql: Sql
  readonly #chainId: number
  readonly #keyChannels: KeyChannels
  readonly #feeds: ReadonlyMap<string, Feed>
  /** Channels that are read while a statement is under way share the next one. */
  readonly #messages: (place: OutboxPlace) => Promise<OutboxMessage[] | null>

  constructor(sql: Sql, chainId: number, { keyChannels, feeds }: PushedChannels) {
    // Inside the venue a private channel begins with the product's name, a feed's with the feed's.
    if (feeds.has(keyChannels.product)) throw new Error(`a feed must not be called ${keyChannels.product}`)
    this.hints = [...new Set([OUTBOX_HINT, ...[...feeds.values()].map(({ hint }) => hint)])]
    this.#sql = sql
    this.#chainId = chainId
    this.#keyChannels = keyChannels
    this.#feeds = feeds
    this.#messages = sharedLookUps((places) => readMessagesOf(sql, places, PAGE_MESSAGES))
  }

  async resolve(name: string, caller: Caller | null): Promise<string> {
    if (this.#keyChannels.names.includes(name)) return this.#keyChannel(name, caller)
    const [feedName = '', ...given] = name.split(':')
    const parameters = given.length === 0 ? null : await this.#feeds.get(feedName)?.resolve(given)
    if (parameters) return [feedName, ...parameters].join(':')
    throw new AppError(pushReasons.channel_unknown, `there is no channel ${name}: channels are ${this.#forms(caller)}`)
  }

  async heads(channels: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
    const byFeed = Map.groupBy(channels, (channel) => this.#feedOf(channel)?.feed ?? null)
    const heads = await Promise.all(
      [...byFeed].map(async ([feed, own]) => {
        if (feed === null) return [...(await loadHeads(this.#sql, own))]
        const sequences = await feed.heads(own.map(parametersOf))
        return own.map((channel, nth) => [channel, sequences[nth] ?? 0n] as const)
      }),
    )
    return new Map(heads.flat())
  }

  async snapshot(channel: string): Promise<StreamSnapshot> {
    const found = this.#feedOf(channel)
    return found ? found.feed.snapshot(found.parameters) : this.#recordsSnapshot(channel)
  }

  async deltas(channel: string, after: bigint, head?: bigint): Promise<readonly StreamDelta[] | null> {
    const found = this.#feedOf(channel)
    return found ? found.feed.deltas(found.parameters, after, head) : this.#outboxDeltas(channel, after)
  }

  release(channel: string): void {
    const found = this.#feedOf(channel)
    found?.feed.release(found.parameters)
  }

  #keyChannel(name: string, caller: Caller | null): string {
    if (caller === null) {
      const message = `${name} is private: open a connection that an API key signs, and subscribe there`
      throw new AppError(pushReasons.channel_private, message)
    }
    const owner = ownerOf(this.#keyChannels, caller) ?? boundUser(caller)
    return outboxChannel(this.#keyChannels.product, this.#chainId, owner, name)
  }

  /** The feed of a channel, with its parameters; null for one of the outbox. */
  #feedOf(channel: string): { readonly feed: Feed; readonly parameters: readonly string[] } | null {
    const feed = this.#feeds.get(channel.split(':', 1)[0] ?? '')
    return feed ? { feed, parameters: parametersOf(channel) } : null
  }

  /** `orders, cash and quotes:{symbol}`. */
  #forms(caller: Caller | null): string {
    const own = caller ? this.#keyChannels.names : []
    const forms = [...own, ...[...this.#feeds.values()].map(({ form }) => form)]
    const last = forms.pop() ?? 'none'
    return forms.length === 0 ? last : `${forms.join(', ')} and ${last}`
  }

  async #recordsSnapshot(channel: string): Promise<StreamSnapshot> {
    const { sequence, total, records } = await readSnapshot(this.#sql, channel, SNAPSHOT_RECORDS)
    const items = records.map(({ subject, payload }) => `{"key":${JSON.stringify(subject)},"data":${payload}}`)
    return { sequence, total, dataJson: `[${items.join(',')}]` }
  }

  async #outboxDeltas(channel: string, after: bigint): Promise<StreamDelta[] | null> {
    const messages = await this.#messages({ channel, after })
    return (
      messages?.map(({ sequence, eventId, type, version, subject, payload, createdAt }) => ({
        previous: sequence - 1n,
        sequence,
        event: type,
        version,
        id: eventId,
        key: subject,
        timeMs: createdAt.getTime(),
        dataJson: payload ?? 'null',
      })) ?? null
    )
  }
}

const parametersOf = (channel: string): readonly string[] => channel.split(':').slice(1)
