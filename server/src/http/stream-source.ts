import type { Caller } from './caller.ts'

/** A change of a channel, to be sent to whoever follows it. */
export interface StreamDelta {
  /** Sequence of the preceding message; in a conflated channel there may be others between the two. */
  readonly previous: bigint
  readonly sequence: bigint
  /** What happened, such as `order.updated`, with the version of the payload's JSON shape. */
  readonly event: string
  readonly version: number
  /** Unique and stable, where messages are kept. */
  readonly id?: string
  /** The subject within the channel, where a channel holds several. */
  readonly key?: string
  /** Unix milliseconds. */
  readonly timeMs: number
  /** The payload as JSON text. */
  readonly dataJson: string
}

/** The state of a channel as of a sequence. */
export interface StreamSnapshot {
  readonly sequence: bigint
  /** The payload as JSON text. */
  readonly dataJson: string
  /** How many there are, where the payload is a list that may be cut short. */
  readonly total?: number
}

/**
 * What a product streams. A channel has one name for clients and, since that may depend on the caller, one inside the
 * venue; every other function takes the latter. `Who` follows it: an API key, or null where anybody may.
 */
export interface StreamSource<Who = Caller> {
  /** The channel that the caller means. Throws an `AppError` when there is none. */
  resolve(name: string, caller: Who): Promise<string>
  /** The newest sequence of each channel, looked up for all at once. */
  heads(channels: readonly string[]): Promise<ReadonlyMap<string, bigint>>
  snapshot(channel: string): Promise<StreamSnapshot>
  /**
   * Deltas after a sequence, oldest first, a page at most; empty when there are none. Null when they cannot be had (any
   * more), then the follower needs a new snapshot. `head` is the channel's newest sequence where the caller has just looked it up.
   */
  deltas(channel: string, after: bigint, head?: bigint): Promise<readonly StreamDelta[] | null>
  /** Nobody follows the channel any more. */
  release(channel: string): void
  /** Notifications of the database after which heads may have moved. */
  readonly hints: readonly string[]
}

/** Who is at the other end of a WebSocket. */
export interface StreamClient {
  /** Null where anybody may follow. */
  readonly caller: Caller | null
  readonly clientIp: string
}

/** Limits of one key and of one connection. */
export interface StreamLimits {
  /** Connections of one key, or of one address without a key, to one process. */
  readonly connectionsPerKey: number
  /** Channels that one connection follows. */
  readonly channelsPerConnection: number
  /** Bytes that may wait to be sent to one connection. */
  readonly bufferBytes: number
  /** Time between two heartbeats; a client silent for two of them is gone. */
  readonly heartbeatMs: number
}

export const DEFAULT_STREAM_LIMITS: StreamLimits = {
  connectionsPerKey: 20,
  channelsPerConnection: 200,
  bufferBytes: 1024 * 1024,
  heartbeatMs: 15_000,
}
