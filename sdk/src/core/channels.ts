import type { Client } from './client.ts'
import { type Link, openLink, type StreamStatus } from './link.ts'

/** Something of a channel was missed: begin anew from the next message. */
export interface Gap {
  readonly type: 'gap'
  /** What was seen last, and what comes next, where the channel counts. */
  readonly after: number | null
  readonly next: number | null
}

/** A channel is not followed: the venue refused it, or the stream has ended for good. */
export interface StreamFailure {
  readonly type: 'error'
  readonly reason: string
  readonly message: string
}

export interface Subscription {
  close(): void
}

export interface StreamOptions {
  readonly onStatus?: (status: StreamStatus, error?: Error) => void
}

export interface Stream<Channel, Message> {
  /** Follows a channel until the subscription or the stream is closed, over all connections. */
  subscribe(channel: Channel, listener: (message: Message) => void): Subscription
  close(): void
}

/** One followed channel, however many listen. */
export class Followed<Channel, Message> {
  readonly channel: Channel
  readonly listeners = new Set<(message: Message) => void>()
  /** Of the last message; null before the first one and where the channel does not count. */
  sequence: number | null = null
  /** Whether messages count: from the answer to a subscription on. */
  isFollowed = false
  /** Whether this channel was followed on an earlier connection. */
  wasFollowed = false
  /** How often in a row the venue could not read it. */
  failures = 0

  constructor(channel: Channel) {
    this.channel = channel
  }

  tell(message: Message): void {
    for (const listener of this.listeners) listener(message)
  }
}

/** What a product's stream says and understands. */
export interface Wire<Channel, Message> {
  readonly ping: string
  readonly connect: Parameters<typeof openLink>[1]['connect']
  readonly ended: Parameters<typeof openLink>[1]['ended']
  keyOf(channel: Channel): string
  /** Asks for a channel, from what was seen last where that is possible. */
  follow(one: Followed<Channel, Message>, send: (text: string) => void): void
  leave(one: Followed<Channel, Message>, send: (text: string) => void): void
  receive(text: string, followed: ReadonlyMap<string, Followed<Channel, Message>>, link: Link): void
}

export function streamOver<Channel, Message>(
  client: Client,
  wire: Wire<Channel, Message | StreamFailure>,
  { onStatus }: StreamOptions,
): Stream<Channel, Message | StreamFailure> {
  const followed = new Map<string, Followed<Channel, Message | StreamFailure>>()
  const link = openLink(client, {
    connect: () => wire.connect(),
    ping: wire.ping,
    ended: (code, wasOpen) => wire.ended(code, wasOpen),
    onOpen() {
      for (const one of followed.values()) {
        one.isFollowed = false
        wire.follow(one, link.send)
      }
    },
    onText: (text) => wire.receive(text, followed, link),
    onStatus(status, error) {
      onStatus?.(status, error)
      if (status !== 'closed' || !error) return
      for (const one of followed.values()) one.tell({ type: 'error', reason: 'ended', message: error.message })
    },
  })
  return {
    subscribe(channel, listener) {
      const key = wire.keyOf(channel)
      const known = followed.get(key)
      const one = known ?? new Followed<Channel, Message | StreamFailure>(channel)
      // A set has each listener once; two subscriptions with one function are two.
      const own = (message: Message | StreamFailure): void => listener(message)
      one.listeners.add(own)
      followed.set(key, one)
      // Whoever joins later begins with the present state, too.
      if (known) {
        one.sequence = null
        one.wasFollowed = false
        if (link.isOpen) wire.leave(one, link.send)
      }
      // Otherwise it is asked for once the connection is open.
      if (link.isOpen) wire.follow(one, link.send)
      return {
        close() {
          if (!one.listeners.delete(own) || one.listeners.size > 0) return
          followed.delete(key)
          if (link.isOpen) wire.leave(one, link.send)
        },
      }
    },
    close: () => link.close(),
  }
}
