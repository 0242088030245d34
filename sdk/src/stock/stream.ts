import {
  type Gap,
  type StreamFailure,
  type StreamOptions,
  type Subscription,
  streamOver,
  type Wire,
} from '../core/channels.ts'
import type { Client } from '../core/client.ts'
import { VenueError } from '../core/errors.ts'
import { socketUrl } from '../core/link.ts'
import type { ToldMessage } from './messages.ts'
import { KEY_READ } from './signer.ts'

/** What is told of a channel, as the stream's document has it. */
type ChannelMessage = Extract<ToldMessage, { readonly type: 'snapshot' | 'delta' }>
type MessageOf<Name, Message = ChannelMessage> = Message extends { readonly channel: infer Of }
  ? Name extends Of
    ? Message
    : never
  : never

export type StockChannel = ChannelMessage['channel']
/** The present state. Of orders, cash and stock a list of `{key, data}`, of which `total` says how many there are. */
export type StockSnapshot<Name extends StockChannel = StockChannel> = Extract<MessageOf<Name>, { type: 'snapshot' }>
/** What has changed: `event` says what its `data` is, null of a record that is no more. */
export type StockDelta<Name extends StockChannel = StockChannel> = Extract<MessageOf<Name>, { type: 'delta' }>
/** What a listener to a channel is told. A later venue may tell other events, and fields that are not here. */
export type StockMessage<Name extends StockChannel = StockChannel> = MessageOf<Name> | Gap | StreamFailure

export interface StockStream {
  /** Follows a channel until the subscription or the stream is closed, over all connections. */
  subscribe<Name extends StockChannel>(channel: Name, listener: (message: StockMessage<Name>) => void): Subscription
  close(): void
}

const PATH = '/api/v1/stream'
const KEY_ENDED = 4003
/** As after so many failures: the venue counts by the minute. */
const LONG_PAUSE = 10

/**
 * Follows orders, money and the market over one connection at a time, which goes on where it was when it is made anew. Without
 * a signer it may follow quotes and candles.
 */
export function openStream(client: Client<'stock'>, options: StreamOptions = {}): StockStream {
  // The wire tells a channel of what is its own alone.
  return streamOver(client, wireOf(client), options) as StockStream
}

function wireOf(client: Client<'stock'>): Wire<StockChannel, StockMessage> {
  const ask = (op: string, channel: string, more: object = {}): string => JSON.stringify({ op, channel, ...more })
  return {
    ping: '{"op":"ping"}',
    keyOf: (channel) => channel,
    connect: () => connection(client),
    ended: (code, wasOpen) => endOf(client, code, wasOpen),
    follow: ({ channel, sequence }, send) =>
      send(ask('subscribe', channel, sequence === null ? {} : { from: sequence })),
    leave(one, send) {
      one.isFollowed = false
      send(ask('unsubscribe', one.channel))
    },
    receive(text, followed, link) {
      const message = client.product.read(text) as ToldMessage
      if (!('channel' in message) || message.channel === undefined) return
      const one = followed.get(message.channel)
      if (!one) return
      if (message.type === 'error') {
        one.isFollowed = false
        one.tell(message)
        // The others go on meanwhile. It may have been left by then, or followed anew for whoever joined.
        const isWanted = () => followed.get(one.channel) === one && !one.isFollowed
        const again = (times: number) => link.again(times, () => isWanted() && this.follow(one, link.send))
        if (message.reason === 'internal_error') again(one.failures++)
        if (message.reason === 'rate_limited') again(LONG_PAUSE)
        return
      }
      one.failures = 0
      if (message.type === 'resumed') one.isFollowed = true
      if (message.type === 'snapshot') {
        if (message.reason === 'too_old') one.tell({ type: 'gap', after: one.sequence, next: message.sequence })
        one.isFollowed = true
        one.sequence = message.sequence
        one.tell(message)
      }
      // What still comes of an earlier subscription is not what this one goes on from.
      if (message.type !== 'delta' || !one.isFollowed) return
      if (one.sequence !== null && message.sequence <= one.sequence) return
      if (message.previous !== one.sequence) return link.restart()
      one.sequence = message.sequence
      one.tell(message)
    },
  }
}

async function connection(client: Client<'stock'>) {
  const { baseUrl, signer } = client.options
  return { url: socketUrl(baseUrl, PATH), protocols: ['bourse', ...(signer ? await signedProtocols(client) : [])] }
}

/** The signed values as names of protocols, since a browser sets no headers; the venue answers with the first name alone. */
async function signedProtocols(client: Client<'stock'>): Promise<string[]> {
  const headers = await client.product.sign(client, { method: 'GET', uri: PATH, body: '' })
  return ['key', 'ts', 'nonce', 'sign'].map((name) => `${name}.${headers[`x-api-${name}`]}`)
}

/** A browser does not tell why an upgrade was refused: a request like it does, and corrects the clock. */
async function endOf(client: Client<'stock'>, code: number, wasOpen: boolean): Promise<Error | null> {
  if (code === KEY_ENDED) return new Error('the API key was disabled or has expired')
  if (wasOpen) return null
  try {
    await client.call(KEY_READ, {}, {})
    return null
  } catch (error) {
    return error instanceof VenueError && error.reason === null && error.code === 401 ? error : null
  }
}
