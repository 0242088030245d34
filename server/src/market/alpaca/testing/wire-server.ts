import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { formatUnits } from '../../../lib/decimal.ts'
import { type Account, activityJson, isOpen, type OrderBody, orderJson, RefusedRequest, updateJson } from './account.ts'
import { type MarketDataAnswers, marketDataAnswer, subscribe } from './market-data.ts'

export const KEY_ID = 'PKTEST'
export const SECRET_KEY = 'the-secret-of-the-test-account'

/** What goes wrong with one request. `lost`: it is done, and its answer is a 500; `cut`: done, and the connection ends. */
export type RequestFault = 'none' | '403' | '429' | '500' | 'lost' | 'cut' | 'slow'
/** What goes wrong with one trade update. `late`: it comes after the next one; `drop`: never; `cut`: the stream ends. */
export type UpdateFault = 'none' | 'twice' | 'late' | 'drop' | 'cut'

export interface Faults {
  request: (method: string, path: string) => RequestFault
  update: (event: string) => UpdateFault
}

/**
 * A server that speaks the documented parts of Alpaca's Trading and Market Data APIs that the venue uses, over HTTP and
 * WebSocket, with a real account behind it and faults on demand.
 */
export class WireServer {
  readonly account: Account
  readonly data: MarketDataAnswers
  readonly faults: Faults = { request: () => 'none', update: () => 'none' }
  /** Every request that was answered, or not: method and path with query. */
  readonly requests: string[] = []
  readonly updateSockets = new Set<WebSocket>()
  readonly dataSockets = new Set<WebSocket>()
  #held: string[] = []
  readonly #http = createServer((request, response) => void this.#serve(request, response))
  readonly #streams = new WebSocketServer({ noServer: true })

  constructor(account: Account, data: MarketDataAnswers) {
    this.account = account
    this.data = data
    account.announce = (event, order, activity) =>
      this.#announce(event, JSON.stringify(updateJson(event, order, activity, account)))
    this.#http.on('upgrade', (request, socket, head) =>
      this.#streams.handleUpgrade(request, socket, head, (ws) => this.#greet(request.url ?? '', ws)),
    )
  }

  async start(): Promise<this> {
    this.#http.listen(0, '127.0.0.1')
    await once(this.#http, 'listening')
    return this
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`
  }

  /** Ends every stream, as a lost network does. */
  cutStreams(): void {
    for (const socket of [...this.updateSockets, ...this.dataSockets]) socket.terminate()
  }

  async stop(): Promise<void> {
    for (const socket of this.#streams.clients) socket.terminate()
    this.#streams.close()
    this.#http.closeAllConnections()
    this.#http.close()
    await once(this.#http, 'close')
  }

  /** Says something on the stream of market data. */
  tell(items: readonly unknown[]): void {
    for (const socket of this.dataSockets) socket.send(JSON.stringify(items))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const method = request.method ?? 'GET'
    this.requests.push(`${method} ${url.pathname}${url.search}`)
    const body = Buffer.concat(await request.toArray()).toString()
    const fault = this.faults.request(method, url.pathname)
    if (fault === '403') return reply(response, 403, { code: 40310000, message: 'forbidden.' })
    if (fault === '429') return rateLimited(response)
    if (fault === '500') return reply(response, 500, { code: 50010000, message: 'internal server error occurred' })
    const answer = this.#answer(request, method, url, body)
    if (fault === 'lost') return reply(response, 500, { code: 50010000, message: 'internal server error occurred' })
    if (fault === 'cut') return void request.socket.destroy()
    if (fault === 'slow') await new Promise((resolve) => setTimeout(resolve, 20))
    reply(response, answer.status, answer.body)
  }

  #answer(request: IncomingMessage, method: string, url: URL, body: string): { status: number; body: unknown } {
    try {
      if (request.headers['apca-api-key-id'] !== KEY_ID || request.headers['apca-api-secret-key'] !== SECRET_KEY) {
        throw new RefusedRequest(401, 40110000, 'request is not authorized')
      }
      const data = marketDataAnswer(this.data, url)
      if (data !== undefined) return { status: 200, body: data }
      return this.#trading(method, url, body)
    } catch (error) {
      if (!(error instanceof RefusedRequest)) throw error
      return { status: error.status, body: { code: error.code, message: error.message } }
    }
  }

  #trading(method: string, { pathname, searchParams }: URL, body: string): { status: number; body: unknown } {
    const { account } = this
    const ok = (answer: unknown) => ({ status: 200, body: answer })
    const notFound = (what: string) => new RefusedRequest(404, 40410000, `${what} not found`)
    if (pathname === '/v2/account') return ok({ id: account.id, status: 'ACTIVE', trading_blocked: false })
    if (pathname === '/v2/orders' && method === 'POST')
      return ok(orderJson(account.place(JSON.parse(body) as OrderBody)))
    if (pathname === '/v2/orders') return ok(this.#listOrders(searchParams))
    if (pathname === '/v2/orders:by_client_order_id') {
      const order = account.orders.get(searchParams.get('client_order_id') ?? '')
      if (!order) throw notFound('order')
      return ok(orderJson(order))
    }
    if (pathname.startsWith('/v2/orders/')) {
      const order = account.byId(pathname.slice('/v2/orders/'.length))
      if (!order) throw notFound('order')
      if (method === 'GET') return ok(orderJson(order))
      if (!isOpen(order)) throw new RefusedRequest(422, 42210000, `order is already in "${order.status}" state`)
      account.end(order.body.client_order_id, 'canceled')
      return { status: 204, body: null }
    }
    if (pathname === '/v2/account/activities/FILL') return ok(this.#listActivities(searchParams))
    if (pathname === '/v2/positions') return ok([...account.positions()].flatMap(positionJson))
    throw notFound('endpoint')
  }

  /** https://docs.alpaca.markets/reference/getallorders */
  #listOrders(query: URLSearchParams): unknown[] {
    const after = query.get('after')
    return [...this.account.orders.values()]
      .filter((order) => query.get('status') !== 'open' || isOpen(order))
      .filter((order) => after === null || order.submittedMs > Date.parse(after))
      .sort((a, b) => a.submittedMs - b.submittedMs)
      .slice(0, Number(query.get('limit') ?? 50))
      .map(orderJson)
  }

  /** Ascending by id; those that are not visible yet are left out, as a lagging replica does. */
  #listActivities(query: URLSearchParams): unknown[] {
    const [after, token] = [query.get('after'), query.get('page_token')]
    return this.account.activities
      .filter((activity) => activity.visibleAfter-- <= 0)
      .filter((activity) => after === null || activity.timeMs > Date.parse(after))
      .filter((activity) => token === null || activity.id > token)
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, Number(query.get('page_size') ?? 100))
      .map(activityJson)
  }

  /** https://docs.alpaca.markets/docs/websocket-streaming: binary frames on the paper address. */
  #greet(path: string, socket: WebSocket): void {
    socket.on('error', () => {})
    if (path !== '/stream') {
      subscribe(socket, this.dataSockets, { key: KEY_ID, secret: SECRET_KEY })
      return
    }
    const send = (stream: string, data: unknown) => socket.send(Buffer.from(JSON.stringify({ stream, data })))
    socket.on('close', () => this.updateSockets.delete(socket))
    socket.on('message', (bytes) => {
      const { action, key, secret, data } = JSON.parse(bytes.toString())
      if (action === 'auth') {
        const status = key === KEY_ID && secret === SECRET_KEY ? 'authorized' : 'unauthorized'
        send('authorization', { status, action: 'authenticate' })
      } else if (action === 'listen') {
        this.updateSockets.add(socket)
        send('listening', { streams: data.streams })
      }
    })
  }

  #announce(event: string, message: string): void {
    const fault = this.faults.update(event)
    if (fault === 'late') {
      this.#held.push(message)
      return
    }
    const messages = fault === 'drop' ? [] : fault === 'twice' ? [message, message] : [message]
    for (const one of [...messages, ...this.#held.splice(0)]) {
      for (const socket of this.updateSockets) socket.send(Buffer.from(one))
    }
    if (fault === 'cut') this.cutStreams()
  }
}

/** https://docs.alpaca.markets/reference/getallopenpositions */
function positionJson([symbol, quantityWad]: readonly [string, bigint]): unknown[] {
  if (quantityWad === 0n) return []
  const side = quantityWad < 0n ? 'short' : 'long'
  return [{ asset_id: symbol, symbol, asset_class: 'us_equity', qty: formatUnits(quantityWad, 18), side }]
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'test' })
  response.end(body === null ? '' : JSON.stringify(body))
}

function rateLimited(response: ServerResponse): void {
  response.writeHead(429, {
    'content-type': 'application/json',
    'x-ratelimit-limit': '200',
    'x-ratelimit-remaining': '0',
    'retry-after': '0.01',
  })
  response.end(JSON.stringify({ code: 42910000, message: 'rate limit exceeded' }))
}
