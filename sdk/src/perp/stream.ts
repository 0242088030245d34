import {
  type Followed,
  type Gap,
  type StreamFailure,
  type StreamOptions,
  type Subscription,
  streamOver,
  type Wire,
} from '../core/channels.ts'
import type { Client } from '../core/client.ts'
import { type Link, socketUrl } from '../core/link.ts'
import { Unauthenticated } from './errors.ts'
import type { Kline, ToldMessage } from './messages.ts'
import { getServerTime } from './operations.ts'

interface Pair {
  /** The contract's address. */
  readonly instrument: string
  readonly expiry: number
}

const PRIVATE = ['orders', 'executions', 'positions', 'account', 'liquidity', 'keptOrders', 'sends'] as const

/** What the signer's wallet has and does; its messages are counted, and resumed after a cut. */
export type PerpWalletChannel = (typeof PRIVATE)[number]

/** What can be followed, by its type. */
export type PerpChannel =
  | (Pair & { readonly type: 'orderBook' | 'instrument' })
  | (Pair & { readonly type: 'kline'; readonly interval: Kline['interval'] })
  | { readonly type: 'common' }
  | { readonly type: 'trades'; readonly pairs: readonly string[]; readonly tradesLimit?: number }
  | { readonly type: 'portfolio'; readonly userAddress: string }
  | { readonly type: PerpWalletChannel }

type Type = PerpChannel['type']
/** Streams of a type that are not called as it is. */
const STREAMS = {
  instrument: ['instrument', 'marketPairInfoChanged'],
  common: ['blockNumChanged', 'marketListChanged'],
} as const
type StreamOf<Of extends Type> = Of extends keyof typeof STREAMS ? (typeof STREAMS)[Of][number] : Of

/** A message as the stream's document has it; `type` says of which of these kinds it is. */
type As<Kind extends string, Message, Left extends string> = Message extends unknown
  ? { readonly type: Kind } & Omit<Message, Left>
  : never
type Told<Of extends Type> = Extract<ToldMessage, { readonly stream: StreamOf<Of> }>

/** What a channel of the market tells; `stream` says which kind of data. */
export type PerpData<Of extends Type = Type> = As<'data', Exclude<Told<Of>, { readonly event: string }>, 'chainId'>
/** The newest records of a wallet's channel, of which `total` says how many the stream knows of. */
export type PerpSnapshot<Of extends Type = Type> = As<
  'snapshot',
  Extract<Told<Of>, { readonly event: 'snapshot' }>,
  'chainId' | 'event' | 'time'
>
/** A record of a wallet's channel as it is now: `event` says what its `data` is, null of a record that is no more. */
export type PerpDelta<Of extends Type = Type> = As<'delta', Extract<Told<Of>, { readonly previous: number }>, 'chainId'>
/** What a listener to a channel of this type is told. A later venue may tell other events, and fields that are not here. */
export type PerpMessage<Of extends Type = Type> = PerpData<Of> | PerpSnapshot<Of> | PerpDelta<Of> | Gap | StreamFailure

export interface PerpStream {
  /** Follows a channel until the subscription or the stream is closed, over all connections. */
  subscribe<Channel extends PerpChannel>(
    channel: Channel,
    listener: (message: PerpMessage<Channel['type']>) => void,
  ): Subscription
  close(): void
}

type One = Followed<PerpChannel, PerpMessage>

/** An answer to a request, or a message of a channel. */
interface Received {
  readonly id?: number | string | null
  readonly result?: string
  readonly stream?: string
  readonly instrument?: string
  readonly expiry?: number
  readonly data?: unknown
}

/** A message of a wallet's channel; `event` tells what it is. */
type Counted = Extract<ToldMessage, { readonly stream: PerpWalletChannel }>

/** A subscription that was asked for; the venue may answer it twice: that it is accepted, and that it came to nothing after all. */
interface Asked {
  readonly one: One
  isAccepted: boolean
}

const PATH = '/v4/public/ws'
const KEY_ENDED = 4003
/** How what the venue says begins when it has failed itself, or is asked too often. */
const PASSING = ['internal error', 'too many requests']

/** Follows the market over one connection at a time, and with a signer what its wallet has and does. */
export function openStream(client: Client<'perp'>, options: StreamOptions = {}): PerpStream {
  // The wire tells a channel of what is its own alone.
  return streamOver(client, new PerpWire(client), options) as PerpStream
}

class PerpWire implements Wire<PerpChannel, PerpMessage> {
  readonly ping = 'ping'
  readonly #client: Client<'perp'>
  /** The subscription of each channel that is followed, by its id. */
  readonly #asked = new Map<number, Asked>()
  #lastId = 0

  constructor(client: Client<'perp'>) {
    this.#client = client
  }

  keyOf(channel: PerpChannel): string {
    return JSON.stringify(Object.entries(channel).sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  async connect() {
    this.#asked.clear()
    this.#lastId = 0
    const { baseUrl, signer } = this.#client.options
    return { url: socketUrl(baseUrl, PATH), protocols: signer ? await signedProtocols(this.#client) : [] }
  }

  /** A browser does not tell why an upgrade was refused: a signed read does, and corrects the clock. */
  async ended(code: number, wasOpen: boolean): Promise<Error | null> {
    if (code === KEY_ENDED) return new Error('the API key was deleted, disabled or has expired')
    if (wasOpen || !this.#client.options.signer) return null
    try {
      await getServerTime(this.#client)
      return null
    } catch (error) {
      return error instanceof Unauthenticated ? error : null
    }
  }

  follow(one: One, send: (text: string) => void): void {
    this.#forget(one)
    const id = ++this.#lastId
    this.#asked.set(id, { one, isAccepted: false })
    const from = one.sequence === null ? {} : { from: one.sequence }
    send(this.#request(id, 'SUBSCRIBE', { ...one.channel, ...from }))
  }

  leave(one: One, send: (text: string) => void): void {
    one.isFollowed = false
    this.#forget(one)
    send(this.#request(++this.#lastId, 'UNSUBSCRIBE', one.channel))
  }

  receive(text: string, followed: ReadonlyMap<string, One>, link: Link): void {
    if (text === 'pong') return
    const message = this.#client.product.read(text) as Received
    if (message.result !== undefined) this.#answered(message, link)
    if (message.stream === undefined) return
    for (const one of followed.values()) {
      if (!isAbout(one.channel, message)) continue
      one.failures = 0
      if (isPrivate(message.stream)) count(one, message, link)
      else one.tell(publicData(message))
    }
  }

  #forget(one: One): void {
    for (const [id, asked] of this.#asked) if (asked.one === one) this.#asked.delete(id)
  }

  #request(id: number, method: string, channel: PerpChannel): string {
    const params = { chainId: this.#client.options.chainId, ...channel }
    return JSON.stringify({ id, method, params })
  }

  #answered({ id = null, result }: Received, link: Link): void {
    const asked = id === null ? undefined : this.#asked.get(Number(id))
    if (result !== 'success') {
      this.#failed(id, asked, String(result), link)
      return
    }
    if (!asked || asked.isAccepted) return
    asked.isAccepted = true
    const { one } = asked
    // A wallet's channel begins with its snapshot, or goes on where it was.
    if (isPrivate(one.channel.type)) return
    // What came while there was no connection is not told again.
    if (one.wasFollowed) one.tell({ type: 'gap', after: null, next: null })
    one.isFollowed = true
    one.wasFollowed = true
  }

  /** What is refused stays so. What was accepted, and then could not be read, is asked for again: the others go on meanwhile. */
  #failed(id: Received['id'], asked: Asked | undefined, message: string, link: Link): void {
    // A channel is followed no more, and it is not said which.
    if (id === null) link.restart()
    if (!asked) return
    const { one, isAccepted } = asked
    one.isFollowed = false
    const mayPass = isAccepted || PASSING.some((beginning) => message.startsWith(beginning))
    one.tell({ type: 'error', reason: mayPass ? 'internal_error' : 'request_invalid', message })
    if (!mayPass) return
    link.again(one.failures++, () => {
      // It may have been left, or asked for once more.
      if (this.#asked.get(Number(id)) === asked) this.follow(one, link.send)
    })
  }
}

const isPrivate = (type: string): type is PerpWalletChannel => (PRIVATE as readonly string[]).includes(type)

function publicData({ stream = '', instrument, expiry, data }: Received): PerpData {
  const place = instrument === undefined ? {} : { instrument, ...(expiry === undefined ? {} : { expiry }) }
  return { type: 'data', stream, ...place, data } as PerpData
}

/** Takes a message of a wallet's channel in its turn. */
function count(one: One, received: Received, link: Link): void {
  const message = received as unknown as Counted
  if (message.event === 'resumed') {
    one.isFollowed = true
    return
  }
  if (message.event === 'snapshot') {
    const { stream, sequence, reason, total, data } = message
    if (reason === 'too_old') one.tell({ type: 'gap', after: one.sequence, next: sequence })
    one.isFollowed = true
    one.sequence = sequence
    one.tell({ type: 'snapshot', stream, sequence, reason, total, data } as PerpSnapshot)
    return
  }
  // What still comes of an earlier subscription is not what this one goes on from; what has no sequence is of a kind that is not known.
  if (!one.isFollowed || !(message.sequence > (one.sequence ?? -1))) return
  const { stream, sequence, previous, event, version, id, key, time, data } = message
  if (previous !== one.sequence) {
    link.restart()
    return
  }
  one.sequence = sequence
  one.tell({ type: 'delta', stream, sequence, previous, event, version, id, key, time, data } as PerpDelta)
}

/** The signed values as names of protocols, since a browser sets no headers; the venue answers with the first name alone. */
async function signedProtocols(client: Client<'perp'>): Promise<string[]> {
  const headers = await client.product.sign(client, { method: 'GET', uri: PATH, body: '' })
  // The alphabet of URLs: a name of a protocol has no slash.
  const sign = headers['x-api-sign']?.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
  return ['bourse', `key.${headers['x-api-key']}`, `ts.${headers['x-api-ts']}`, `sign.${sign}`]
}

/** Messages do not name their subscription: it is told by what they are about. */
function isAbout(channel: PerpChannel, { stream = '', instrument, expiry, data }: Received): boolean {
  const streams: readonly string[] = STREAMS[channel.type as keyof typeof STREAMS] ?? [channel.type]
  if (!streams.includes(stream)) return false
  const wanted = channel as Readonly<Record<string, unknown>>
  const about: Readonly<Record<string, unknown>> = { ...fieldsOf(data), instrument, expiry }
  if (Array.isArray(wanted.pairs)) return wanted.pairs.some((pair) => same(pair, `${instrument}_${expiry}`))
  return ['instrument', 'expiry', 'interval', 'userAddress'].every(
    (name) => wanted[name] === undefined || about[name] === undefined || same(wanted[name], about[name]),
  )
}

const fieldsOf = (data: unknown): object => (typeof data === 'object' && data !== null ? data : {})
const same = (a: unknown, b: unknown): boolean => String(a).toLowerCase() === String(b).toLowerCase()
