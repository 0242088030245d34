import type { Duplex } from 'node:stream'
import type { RawData, WebSocket } from 'ws'
import { AppError } from '../lib/errors.ts'
import type { Caller } from './caller.ts'
import { networkOf } from './ip-list.ts'
import type { Venue } from './product.ts'
import { type RateLimiter, tooManyRequests } from './rate-limit.ts'
import type { Follower, StreamHub } from './stream-hub.ts'
import type { RequestId, SnapshotReason, StreamProtocol, StreamRequest, StreamSubject } from './stream-message.ts'
import type { StreamClient, StreamDelta, StreamLimits, StreamSource } from './stream-source.ts'

/** Why the venue ends a connection: the close code, its reason, and a sentence for people (docs/streams.md). */
export const STREAM_ENDS = {
  stopping: [1001, 'stopping', 'the venue is stopping: connect again, and resume where you were'],
  heartbeatTimeout: [
    4001,
    'heartbeat_timeout',
    'nothing was heard for two heartbeats: answer pings, or send {"op":"ping"}',
  ],
  slowReader: [
    4002,
    'slow_reader',
    'messages were not read as fast as they came: connect again, and resume where you were',
  ],
  keyEnded: [4003, 'key_ended', 'the API key is disabled or has expired'],
  tooManyMessages: [4004, 'too_many_messages', 'messages came faster than they could be answered'],
} as const
export type StreamEnd = keyof typeof STREAM_ENDS

/** Longest message that a client may send; ws itself closes with 1009 for a longer one. */
export const MAX_MESSAGE_BYTES = 4096
/** Messages of one client that may wait to be answered. */
const MAX_WAITING = 256
/** Grace period after the close frame; then the connection is cut. */
const CLOSE_GRACE_MS = 2000
/** How often a replay looks whether the client has taken what it sent. */
const FLUSH_POLL_MS = 20

const NOT_TEXT = { wrong: 'messages must be text, not binary', id: null } as const

/** What the connections to one stream share. */
export interface StreamContext {
  readonly source: StreamSource<Caller | null>
  readonly hub: StreamHub
  readonly protocol: StreamProtocol
  readonly limits: StreamLimits
  /** Counts the subscriptions that an address asks for, apart from its requests. */
  readonly limiter: RateLimiter
  readonly venue: Venue
}

/** What the connection follows; `follower` is null until the snapshot or replay is sent. */
interface Subscription {
  follower: Follower | null
  /** Subscribe requests that it answers to: as many unsubscribe requests end it. */
  readonly holders: RequestId[]
}

/** One client's connection: answers its requests, sends what it follows in order, and ends when it does not keep up. */
export class StreamConnection {
  readonly client: StreamClient
  readonly #socket: WebSocket
  /** What the WebSocket writes to. */
  readonly #wire: Duplex
  readonly #context: StreamContext
  readonly #subscriptions = new Map<string, Subscription>()
  #work: Promise<void> = Promise.resolve()
  #waiting = 0
  #isGathering = false
  #isEnding = false
  #heardMs: number
  #beatMs: number

  constructor(socket: WebSocket, wire: Duplex, client: StreamClient, context: StreamContext) {
    this.#socket = socket
    this.#wire = wire
    this.client = client
    this.#context = context
    this.#heardMs = performance.now()
    this.#beatMs = this.#heardMs
    const heard = () => {
      this.#heardMs = performance.now()
    }
    socket.on('message', (data, isBinary) => {
      heard()
      this.#take(data, isBinary)
    })
    socket.on('ping', heard)
    socket.on('pong', heard)
    // A broken frame or a lost connection: ws closes by itself, 'close' follows.
    socket.on('error', () => {})
    socket.on('close', () => this.#release())
  }

  /** Called regularly: sends the heartbeat when it is due, and drops a client that has gone silent. */
  tick(): void {
    const nowMs = performance.now()
    const { heartbeatMs } = this.#context.limits
    if (nowMs - this.#heardMs > 2 * heartbeatMs) this.end('heartbeatTimeout')
    else if (nowMs - this.#beatMs >= heartbeatMs && this.#isOpen) {
      this.#beatMs = nowMs
      this.#socket.ping()
      this.#send(this.#context.protocol.heartbeat(this.#nowMs()))
    }
  }

  /** Says why, closes, and cuts the connection when the client does not take that. */
  end(why: StreamEnd): void {
    if (this.#isEnding) return
    const [code, reason, message] = STREAM_ENDS[why]
    const last = why === 'slowReader' ? null : this.#context.protocol.closing(code, reason, message)
    if (this.#isOpen && last !== null) this.#socket.send(last)
    this.#isEnding = true
    this.#release()
    this.#socket.close(code, reason)
    const cut = setTimeout(() => this.#socket.terminate(), CLOSE_GRACE_MS)
    this.#socket.once('close', () => clearTimeout(cut))
  }

  get #isOpen(): boolean {
    return !this.#isEnding && this.#socket.readyState === this.#socket.OPEN
  }

  #nowMs(): number {
    return this.#context.venue.clock.nowMs()
  }

  /** Messages are answered one after another, so that what a client sees follows from the order in which it asked. */
  #take(data: RawData, isBinary: boolean): void {
    if (!this.#isOpen) return
    if (this.#waiting >= MAX_WAITING) {
      this.end('tooManyMessages')
      return
    }
    this.#waiting++
    this.#work = this.#work
      .then(() => this.#answer(isBinary ? null : data.toString()))
      .catch((err) => this.#context.venue.log.error({ err }, 'a message of a stream could not be answered'))
      .finally(() => this.#waiting--)
  }

  async #answer(message: string | null): Promise<void> {
    if (!this.#isOpen) return
    const { protocol } = this.#context
    const request = message === null ? NOT_TEXT : protocol.parse(message)
    if ('wrong' in request) return this.#error('message_invalid', request.wrong, { channel: null, id: request.id })
    if (request.op === 'ping') return this.#send(protocol.pong(request.id, this.#nowMs()))
    if (request.op === 'unsubscribe') return this.#unsubscribe(request)
    try {
      await this.#subscribe(request)
    } catch (error) {
      this.#refuse(error, request)
    }
  }

  #error(reason: string, message: string, subject: StreamSubject): void {
    this.#send(this.#context.protocol.error(reason, message, subject))
  }

  #refuse(error: unknown, subject: StreamSubject): void {
    if (error instanceof AppError) this.#error(error.reason.name, error.message, subject)
    else {
      this.#context.venue.log.error({ err: error }, 'a subscription failed unexpectedly')
      this.#error('internal_error', 'internal error: subscribe again', subject)
    }
  }

  async #subscribe(request: StreamRequest & { op: 'subscribe' }): Promise<void> {
    await this.#count()
    const { channel, from } = request
    const { source, limits, protocol } = this.#context
    const known = this.#subscriptions.get(channel)
    const repeat = known ? protocol.repeated(channel) : null
    if (repeat === 'refused') {
      return this.#error('already_subscribed', `this connection follows ${channel} already`, request)
    }
    if (!known && this.#subscriptions.size >= limits.channelsPerConnection) {
      const message = `one connection may follow ${limits.channelsPerConnection} channels: unsubscribe from one, or open another`
      return this.#error('too_many_channels', message, request)
    }
    const subscription: Subscription = known ?? { follower: null, holders: [] }
    const inside = await source.resolve(channel, this.client.caller)
    this.#subscriptions.set(channel, subscription)
    this.#send(protocol.accepted(request))
    if (repeat === 'restarts') this.#leave(subscription)
    await this.#start(channel, inside, subscription, from).catch((error) => {
      // What goes on all the same is left as it was; what began anew by this is followed no more.
      if (!subscription.follower) this.#fail(channel, subscription, error)
      throw error
    })
    subscription.holders.push(request.id)
  }

  /** What comes first is read anew each time, of the database or the node, as a request's answer is. Throws `rate_limited`. */
  async #count(): Promise<void> {
    const { limiter } = this.#context
    const decision = await limiter.take(`subscriptions of ${networkOf(this.client.clientIp)}`)
    if (!decision.allowed) throw tooManyRequests(`this address may subscribe ${limiter.limit} times`, decision)
  }

  /** Sends what comes first, and follows from there on what is not followed yet. */
  async #start(channel: string, inside: string, subscription: Subscription, from: bigint | null): Promise<void> {
    const replayed = from === null ? null : await this.#replay(channel, inside, from)
    if (replayed !== null) this.#follow(channel, inside, replayed, subscription)
    else await this.#begin(channel, inside, subscription, from === null ? 'subscribed' : 'too_old')
  }

  #unsubscribe(subject: StreamRequest & { op: 'unsubscribe' }): void {
    const { channel } = subject
    const subscription = this.#subscriptions.get(channel)
    if (!subscription) {
      this.#error('not_subscribed', `this connection does not follow ${channel}`, subject)
      return
    }
    subscription.holders.shift()
    if (subscription.holders.length === 0) {
      this.#subscriptions.delete(channel)
      this.#leave(subscription)
    }
    this.#send(this.#context.protocol.unsubscribed(subject))
  }

  #leave(subscription: Subscription): void {
    if (subscription.follower) this.#context.hub.leave(subscription.follower)
    subscription.follower = null
  }

  async #begin(channel: string, inside: string, subscription: Subscription, reason: SnapshotReason): Promise<void> {
    const snapshot = await this.#context.source.snapshot(inside)
    if (!this.#isOpen) return
    this.#sendAll(messagesOf(this.#context.protocol.snapshot(channel, snapshot, reason, this.#nowMs())))
    this.#follow(channel, inside, snapshot.sequence, subscription)
  }

  /**
   * Sends what came after a sequence, page by page, as fast as it is taken. Answers the sequence it has come to, or null when
   * that cannot be had.
   */
  async #replay(channel: string, inside: string, from: bigint): Promise<bigint | null> {
    let sequence = from
    for (;;) {
      const deltas = await this.#context.source.deltas(inside, sequence)
      if (deltas === null) return null
      if (sequence === from) this.#send(this.#context.protocol.resumed(channel, from, this.#nowMs()))
      if (deltas.length === 0) return sequence
      for (const delta of deltas) {
        this.#sendAll(messagesOf(this.#context.protocol.delta(channel, delta)))
        sequence = delta.sequence
        if (!(await this.#taken())) return sequence
      }
    }
  }

  /** Waits until the client has read most of what was sent; false when the connection has ended. */
  async #taken(): Promise<boolean> {
    this.#flush()
    while (this.#isOpen && this.#socket.bufferedAmount > this.#context.limits.bufferBytes / 4) {
      await new Promise((resolve) => setTimeout(resolve, FLUSH_POLL_MS))
    }
    return this.#isOpen
  }

  #follow(channel: string, inside: string, sequence: bigint, subscription: Subscription): void {
    if (!this.#isOpen || this.#subscriptions.get(channel) !== subscription || subscription.follower) return
    subscription.follower = {
      channel: inside,
      sequence,
      deliver: (delta) => this.#sendAll(this.#encoded(channel, delta)),
      lose: () => {
        subscription.follower = null
        this.#work = this.#work
          .then(() => this.#again(channel, inside, subscription))
          .catch((error) => this.#fail(channel, subscription, error))
      },
    }
    this.#context.hub.follow(subscription.follower)
  }

  /** A follower that lost its place takes a new snapshot, unless it was unsubscribed, or subscribed once more, in between. */
  async #again(channel: string, inside: string, subscription: Subscription): Promise<void> {
    if (!this.#isOpen || this.#subscriptions.get(channel) !== subscription || subscription.follower) return
    await this.#begin(channel, inside, subscription, 'too_old')
  }

  /** Each request that it answered to is told: a client knows by that what it follows no more. */
  #fail(channel: string, { holders }: Subscription, error: unknown): void {
    this.#subscriptions.delete(channel)
    for (const id of holders) this.#refuse(error, { channel, id })
  }

  /** What a delta tells is the same for every follower of a public channel: it is made once. */
  #encoded(channel: string, delta: StreamDelta): readonly Buffer[] {
    const cached = ENCODED.get(delta)
    if (cached?.channel === channel) return cached.bytes
    const bytes = messagesOf(this.#context.protocol.delta(channel, delta)).map((text) => Buffer.from(text))
    ENCODED.set(delta, { channel, bytes })
    return bytes
  }

  #sendAll(messages: readonly (string | Buffer)[]): void {
    for (const message of messages) this.#send(message)
  }

  /** Sends, or ends the connection when too much waits already; a single message may be longer than the limit. */
  #send(message: string | Buffer | null): void {
    if (!this.#isOpen || message === null) return
    const bytes = Buffer.byteLength(message)
    if (this.#isTooMuch(bytes)) this.#flush()
    if (this.#isTooMuch(bytes)) {
      this.end('slowReader')
      return
    }
    this.#gather()
    this.#socket.send(message, { binary: false })
  }

  #isTooMuch(bytes: number): boolean {
    const { bufferedAmount } = this.#socket
    return bufferedAmount > 0 && bufferedAmount + bytes > this.#context.limits.bufferBytes
  }

  /** Messages of one turn of the event loop go out together: each by itself costs both ends as much. */
  #gather(): void {
    if (this.#isGathering) return
    this.#isGathering = true
    this.#wire.cork()
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    if (!this.#isGathering) return
    this.#isGathering = false
    this.#wire.uncork()
  }

  #release(): void {
    for (const subscription of this.#subscriptions.values()) this.#leave(subscription)
    this.#subscriptions.clear()
  }
}

const ENCODED = new WeakMap<StreamDelta, { readonly channel: string; readonly bytes: readonly Buffer[] }>()

const messagesOf = (message: string | readonly string[] | null): readonly string[] =>
  message === null ? [] : typeof message === 'string' ? [message] : message
