import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { type WebSocket, WebSocketServer } from 'ws'
import { AppError } from '../lib/errors.ts'
import type { Caller } from './caller.ts'
import { networkOf } from './ip-list.ts'
import type { ProductStream, Venue } from './product.ts'
import type { RateLimiter } from './rate-limit.ts'
import { httpReasons } from './reasons.ts'
import { MAX_MESSAGE_BYTES, StreamConnection, type StreamEnd } from './stream-connection.ts'
import { StreamHub } from './stream-hub.ts'
import { venueProtocol } from './stream-message.ts'
import type { StreamClient, StreamLimits, StreamSource } from './stream-source.ts'
import { owedAnswer } from './unreadable.ts'

/** The WebSocket protocol that a browser offers, beside the values that it signs with. */
const STREAM_PROTOCOL = 'bourse'
/** Interval at which keys and heartbeats are checked. */
const TICK_MS = 1000
/** An upgrade that is not answered by then is cut off. */
const UPGRADE_TIMEOUT_MS = 10_000

export interface StreamSettings {
  readonly limits: StreamLimits
  /** False when the key is disabled, has expired or has another secret than the caller signed by: its connections end. */
  readonly isKeyLive: (caller: Caller) => boolean
}

/** An upgrade on its way through the server's routes. */
interface Upgrade {
  readonly socket: Duplex
  readonly head: Buffer
}

/** What the connections of a client are counted under. */
const holderOf = ({ caller, clientIp }: StreamClient): string =>
  caller ? `key ${caller.keyId}` : `address ${networkOf(clientIp)}`

/** What a browser signs with stands among the protocols that it offers: nothing of that is ever sent back. */
function chosenProtocol(offered: ReadonlySet<string>): string | false {
  if (offered.has(STREAM_PROTOCOL)) return STREAM_PROTOCOL
  return [...offered].find((protocol) => !protocol.includes('.')) ?? false
}

/**
 * The signed values that a browser offers as protocols, `<name>.<value>` beside the stream's own, since it cannot set headers; null
 * where it offers none of them.
 */
export function offeredValues(
  { headers }: { readonly headers: IncomingMessage['headers'] },
  names: readonly string[],
): ReadonlyMap<string, string> | null {
  const protocols = String(headers['sec-websocket-protocol'] ?? '')
    .split(',')
    .map((protocol) => protocol.trim())
  if (!protocols.includes(STREAM_PROTOCOL)) return null
  const values = new Map<string, string>()
  for (const protocol of protocols) {
    const [, name = '', value = ''] = /^([a-z]+)\.(.+)$/.exec(protocol) ?? []
    if (names.includes(name)) values.set(name, value)
  }
  return values.size === 0 ? null : values
}

/** One product's stream and who is connected to it. */
interface OpenStream {
  readonly hub: StreamHub
  connect(socket: WebSocket, wire: Duplex, client: StreamClient): void
}

/** True for a request that wants a WebSocket; every other upgrade is ignored, as HTTP allows (RFC 9110, 7.8). */
export const wantsWebSocket = (request: IncomingMessage): boolean =>
  request.method === 'GET' && request.headers.upgrade?.trim().toLowerCase() === 'websocket'

/**
 * The WebSockets of the server. An upgrade takes the same way as every request, so that rate limit, authentication and
 * errors are those of the product; only the route of a stream then accepts it.
 */
export class StreamServer {
  readonly #settings: StreamSettings
  readonly #venue: Venue
  readonly #limiter: RateLimiter
  readonly #upgrades = new WeakMap<IncomingMessage, Upgrade>()
  readonly #webSockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: chosenProtocol,
  })
  readonly #connections = new Set<StreamConnection>()
  readonly #held = new Map<string, number>()
  readonly #hubs: StreamHub[] = []
  readonly #ticking: NodeJS.Timeout
  #isClosing = false
  #emptied: (() => void) | null = null

  constructor(venue: Venue, limiter: RateLimiter, settings: StreamSettings) {
    this.#venue = venue
    this.#limiter = limiter
    this.#settings = settings
    this.#ticking = setInterval(() => this.#tick(), Math.min(TICK_MS, settings.limits.heartbeatMs / 4))
    this.#ticking.unref()
  }

  /** Sends upgrades through the routes of the application. */
  attach(app: FastifyInstance): void {
    const server = app.server as Server
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const cut = setTimeout(() => socket.destroy(), UPGRADE_TIMEOUT_MS)
      socket.on('error', () => socket.destroy())
      socket.once('close', () => clearTimeout(cut))
      // Two answers cannot be written at once, and no client that waits for the first asks for the second.
      if (owedAnswer(socket)) return socket.destroy()
      // Node before 24.9 hands over every upgrade.
      if (!wantsWebSocket(request)) return socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n')
      this.#upgrades.set(request, { socket, head })
      // An upgrade has no body, whatever it says; what follows the request belongs to the WebSocket.
      request.headers['content-length'] = undefined
      request.headers['transfer-encoding'] = undefined
      const response = new ServerResponse(request)
      response.shouldKeepAlive = false
      response.assignSocket(socket as never)
      response.once('finish', () => socket.end())
      response.once('upgraded', () => clearTimeout(cut))
      app.routing(request, response)
    })
  }

  /** Opens a product's stream. */
  open(stream: ProductStream): OpenStream {
    const source = stream.open() as StreamSource<Caller | null>
    const hub = new StreamHub(source, this.#venue.sql, this.#venue.log)
    this.#hubs.push(hub)
    const { protocol = venueProtocol } = stream
    const { limits } = this.#settings
    const context = { source, hub, protocol, limits, limiter: this.#limiter, venue: this.#venue }
    return {
      hub,
      connect: (socket, wire, client) => this.#keep(new StreamConnection(socket, wire, client, context), socket),
    }
  }

  /**
   * Throws unless the request is an upgrade and the caller may have one more connection: `upgrade_required`,
   * `too_many_connections`, `stopping`.
   */
  admit(request: IncomingMessage, client: StreamClient): void {
    if (!this.#upgrades.has(request)) {
      throw new AppError(httpReasons.upgrade_required, 'this is a WebSocket: send upgrade: websocket with the request')
    }
    const { connectionsPerKey } = this.#settings.limits
    if (this.#isClosing) throw new AppError(httpReasons.stopping, 'the venue is stopping: connect again')
    if ((this.#held.get(holderOf(client)) ?? 0) < connectionsPerKey) return
    const whom = client.caller ? 'an API key' : 'an address'
    const message = `${whom} may have ${connectionsPerKey} connections: close one, or follow more channels on each`
    throw new AppError(httpReasons.too_many_connections, message)
  }

  /** Makes the WebSocket of an admitted upgrade. */
  accept(request: IncomingMessage, response: ServerResponse, client: StreamClient, stream: OpenStream): void {
    const upgrade = this.#upgrades.get(request)
    if (!upgrade) throw new Error('a stream was accepted that is no upgrade')
    this.#upgrades.delete(request)
    const { socket, head } = upgrade
    response.detachSocket(socket as never)
    this.#webSockets.handleUpgrade(request, socket, head, (webSocket) => {
      response.emit('upgraded')
      stream.connect(webSocket, socket, client)
    })
  }

  /** Ends every connection with a reason and waits until they are gone. */
  async close(): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#ticking)
    this.#endWhere(() => true, 'stopping')
    if (this.#connections.size > 0) await new Promise<void>((resolve) => (this.#emptied = resolve))
    await Promise.all(this.#hubs.map((hub) => hub.close()))
  }

  get connectionCount(): number {
    return this.#connections.size
  }

  #keep(connection: StreamConnection, socket: WebSocket): void {
    const holder = holderOf(connection.client)
    this.#connections.add(connection)
    this.#held.set(holder, (this.#held.get(holder) ?? 0) + 1)
    socket.once('close', () => {
      this.#connections.delete(connection)
      const left = (this.#held.get(holder) ?? 1) - 1
      if (left === 0) this.#held.delete(holder)
      else this.#held.set(holder, left)
      if (this.#connections.size === 0) this.#emptied?.()
    })
    if (this.#isClosing) connection.end('stopping')
  }

  #tick(): void {
    this.#endWhere(({ client: { caller } }) => caller !== null && !this.#settings.isKeyLive(caller), 'keyEnded')
    for (const connection of this.#connections) connection.tick()
  }

  #endWhere(accept: (connection: StreamConnection) => boolean, why: StreamEnd): void {
    for (const connection of this.#connections) if (accept(connection)) connection.end(why)
  }
}
