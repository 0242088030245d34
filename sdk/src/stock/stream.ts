import {
  type Gap,
  type Stream,
  type StreamFailure,
  type StreamOptions,
  streamOver,
  type Wire,
} from '../core/channels.ts'
import type { Client } from '../core/client.ts'
import { VenueError } from '../core/errors.ts'
import { socketUrl } from '../core/link.ts'
import { KEY_READ } from './signer.ts'

export type StockChannel = 'orders' | 'cash' | 'stock' | `quotes:${string}` | `candles:${string}:${string}`

/** The present state. Of orders, cash and stock a list of `{key, data}`, of which `total` says how many there are. */
export interface StockSnapshot {
  readonly type: 'snapshot'
  readonly channel: string
  readonly sequence: number
  readonly reason: 'subscribed' | 'too_old'
  readonly data: unknown
  readonly total?: number
}

/** What has changed. */
export interface StockDelta {
  readonly type: 'delta'
  readonly channel: string
  readonly sequence: number
  readonly previous: number
  /** Such as `order.updated`. */
  readonly event: string
  readonly version: number
  /** Unix milliseconds. */
  readonly time: number
  /** Null of a record that is no more. */
  readonly data: unknown
  readonly id?: string
  /** Names the record within the channel. */
  readonly key?: string
}

export type StockMessage = StockSnapshot | StockDelta | Gap | StreamFailure
export type StockStream = Stream<StockChannel, StockMessage>

type Received =
  | StockSnapshot
  | StockDelta
  | { readonly type: 'resumed'; readonly channel: string; readonly sequence: number }
  | (StreamFailure & { readonly channel?: string })
  | { readonly type: 'unsubscribed' | 'heartbeat' | 'pong' | 'closing' }

const PATH = '/api/v1/stream'
const KEY_ENDED = 4003
/** As after so many failures: the venue counts by the minute. */
const LONG_PAUSE = 10

/**
 * Follows orders, money and the market over one connection at a time, which goes on where it was when it is made anew. Without
 * a signer it may follow quotes and candles.
 */
export function openStream(client: Client<'stock'>, options: StreamOptions = {}): StockStream {
  return streamOver(client, wireOf(client), options)
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
      const message = client.product.read(text) as Received
      if (!('channel' in message) || message.channel === undefined) return
      const one = followed.get(message.channel)
      if (!one) return
      if (message.type === 'error') {
        one.tell(message)
        if (message.reason === 'internal_error') link.restart()
        if (message.reason === 'rate_limited') {
          link.again(LONG_PAUSE, () => followed.get(one.channel) === one && this.follow(one, link.send))
        }
        return
      }
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
