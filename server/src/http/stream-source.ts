import type { Caller, Venue } from './product.ts'

/** A change of a channel, to be sent to whoever follows it. */
export interface StreamDelta {
  /** Of the message that this one comes after; in a conflated channel there may be sequences between the two. */
  readonly previous: bigint
  readonly sequence: bigint
  /** What happened, such as `order.updated`; and the version of the payload's form. */
  readonly event: string
  readonly version: number
  /** Unique and stable, where messages are kept. */
  readonly id?: string
  /** What of the channel it is about, where a channel holds several things. */
  readonly key?: string
  /** Unix milliseconds. */
  readonly timeMs: number
  /** The payload as JSON text. */
  readonly dataJson: string
}

/** All that a channel holds as of a sequence. */
export interface StreamSnapshot {
  readonly sequence: bigint
  /** The payload as JSON text. */
  readonly dataJson: string
  /** How many there are, where the payload is a list that may be cut short. */
  readonly total?: number
}

/**
 * What a product streams. A channel has one name for clients and, since that may depend on the caller, one inside the
 * venue; every other function takes the latter.
 */
export interface StreamSource {
  /** The channel that the caller means. Throws an `AppError` when there is none. */
  resolve(name: string, caller: Caller): Promise<string>
  /** The newest sequence of each channel, looked up for all at once. */
  heads(channels: readonly string[]): Promise<ReadonlyMap<string, bigint>>
  snapshot(channel: string): Promise<StreamSnapshot>
  /**
   * Deltas after a sequence, oldest first, a page at most; empty when there are none. Null when they cannot be had (any
   * more), then the follower needs a new snapshot.
   */
  deltas(channel: string, after: bigint): Promise<readonly StreamDelta[] | null>
  /** Nobody follows the channel any more. */
  release(channel: string): void
  /** Notifications of the database after which heads may have moved. */
  readonly hints: readonly string[]
}

/** A product's stream: a WebSocket below its prefix. */
export interface ProductStream {
  /** Path below the product's prefix. */
  readonly path: string
  open(venue: Venue): StreamSource
}

/** How much one key and one connection may have. */
export interface StreamLimits {
  /** Connections of one key to one process. */
  readonly connectionsPerKey: number
  /** Channels that one connection follows. */
  readonly channelsPerConnection: number
  /** What may wait to be sent to one connection, in bytes. */
  readonly bufferBytes: number
  /** Between two heartbeats; a client that is silent for two of them is gone. */
  readonly heartbeatMs: number
}

export const DEFAULT_STREAM_LIMITS: StreamLimits = {
  connectionsPerKey: 20,
  channelsPerConnection: 200,
  bufferBytes: 1024 * 1024,
  heartbeatMs: 15_000,
}
