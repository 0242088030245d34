import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import ccxt from 'ccxt'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { documented, offline, type Reply } from './exchange.ts'

// The perpetual stream, told by a test: what the adapter makes of its messages.

const SYMBOL = 'BTC/USDC:USDC'
const PREFIX = '/v4/public/trader/'
const PLACED = '0x01'
const ENDED = '0x02'

let server: WebSocketServer
/** What the venue is asked over the stream, on which connection. */
let asked: { readonly socket: WebSocket; readonly message: { id: number; params: Record<string, unknown> } }[]

beforeEach(async () => {
  asked = []
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  server.on('connection', (socket) =>
    socket.on('message', (data) => {
      if (String(data) !== 'ping') asked.push({ socket, message: JSON.parse(String(data)) })
    }),
  )
})
afterEach(async () => {
  for (const client of server.clients) client.terminate()
  await new Promise((resolve) => server.close(resolve))
})

const record = (fields: object) => {
  const { data } = documented('perp-openapi.json', 'GET', `${PREFIX}order/realtime`).body as { data: object[] }
  return { ...data[0], orderId: '7', size: '20', taken: '0', status: 'open', lastUpdateTxHash: PLACED, ...fields }
}
const partly = (fields: object = {}) => record({ status: 'partial_filled', taken: '2', ...fields })

const lost = (watched: Promise<unknown>) => watched.catch((error) => error.constructor)

/** A bot on that server; lists answer from `lists` where they have something. */
function bot(lists: Readonly<Record<string, () => unknown>> = {}) {
  const rest = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const answers = ({ method, target }: { method: string; target: string }): Reply | Error => {
    const path = target.split('?')[0] ?? ''
    const own = lists[path.slice(PREFIX.length)]
    if (!own) return documented('perp-openapi.json', method, path)
    const data = own()
    return data instanceof Error ? data : { body: { code: 0, msg: '', data } }
  }
  return offline(answers, { urls: { api: { rest } }, number: String })
}

/** The nth thing that was asked of the stream, once it is there. */
async function ask(nth: number) {
  for (;;) {
    const one = asked[nth]
    if (one) return { ...one, tell: (message: object) => one.socket.send(JSON.stringify(message)) }
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const snapshot = (...records: { orderId: unknown }[]) => ({
  stream: 'orders',
  event: 'snapshot',
  sequence: 1,
  data: records.map((data) => ({ key: data.orderId, data })),
})
const delta = (sequence: number, data: object) => ({
  stream: 'orders',
  event: 'order.updated',
  sequence,
  previous: sequence - 1,
  data,
})

const told = (orders: object[]) =>
  (orders as { status?: string; filled?: unknown; timestamp?: unknown }[]).map(({ status, filled }) => [status, filled])
const WHOLE = '0.00000000000000002'
const PART = '0.000000000000000002'

describe('an order that is taken in part', () => {
  it('is open while it rests, and canceled by its cancel alone', async () => {
    const { exchange, asked: requests } = bot()
    const first = exchange.watchOrders(SYMBOL)
    const { message, tell } = await ask(0)
    tell({ id: message.id, result: 'success' })
    tell(snapshot(record({})))
    expect(told(await first)).toEqual([['open', '0']])
    const second = exchange.watchOrders(SYMBOL)
    tell(delta(2, partly()))
    const [resting] = await second
    expect(resting).toMatchObject({ status: 'open', filled: PART, amount: WHOLE })
    expect(resting?.timestamp).toBeGreaterThan(0)
    const third = exchange.watchOrders(SYMBOL)
    tell(delta(3, partly({ lastUpdateTxHash: ENDED })))
    expect(told(await third)).toEqual([['canceled', PART]])
    expect(requests.map(({ target }) => target)).not.toContainEqual(expect.stringContaining('order/realtime'))
    await exchange.close()
  })

  it('is looked up where the stream begins after its placing, once', async () => {
    let ended: object[] = []
    const { exchange, asked: requests } = bot({
      'order/realtime': () => [partly()],
      'order/history': () => ({ list: ended, totalCount: ended.length }),
    })
    const first = exchange.watchOrders()
    const { message, tell } = await ask(0)
    tell({ id: message.id, result: 'success' })
    ended = [
      { id: '8', placeTxHash: '0x08' },
      { id: '9', placeTxHash: '0x09' },
    ]
    // 9 has ended since it was told.
    tell(
      snapshot(
        partly(),
        partly({ orderId: '8', lastUpdateTxHash: ENDED }),
        partly({ orderId: '9', lastUpdateTxHash: '0x09' }),
      ),
    )
    expect((await first).map(({ id, status }) => [id, status])).toEqual([
      ['9', 'open'],
      ['8', 'canceled'],
      ['7', 'open'],
    ])
    const count = requests.length
    const second = exchange.watchOrders()
    tell(delta(2, partly({ taken: '3' })))
    expect((await second).map(({ status }) => status)).toEqual(['open'])
    expect(requests).toHaveLength(count)
    await exchange.close()
  })

  it('is told by the next call where the lists do not answer', async () => {
    let isAway = true
    const { exchange } = bot({ 'order/realtime': () => (isAway ? new TypeError('fetch failed') : [partly()]) })
    const first = exchange.watchOrders().catch((error) => error)
    const { message, tell } = await ask(0)
    tell({ id: message.id, result: 'success' })
    tell(snapshot(partly()))
    expect(await first).toBeInstanceOf(Error)
    isAway = false
    tell(delta(2, partly({ taken: '3' })))
    const seen: unknown[] = []
    while (seen.length < 2) seen.push(...told(await exchange.watchOrders()))
    expect(seen).toEqual([
      ['open', PART],
      ['open', '0.000000000000000003'],
    ])
    await exchange.close()
  })
})

describe('a position', () => {
  const { data } = documented('perp-openapi.json', 'GET', `${PREFIX}position/list`).body as {
    data: { instrumentAddr: string; expiry: number }[]
  }
  const [perpetual] = data as [(typeof data)[number]]
  const DATED = 1_800_000_000
  const keyOf = ({ instrumentAddr, expiry }: typeof perpetual) => `${instrumentAddr}_${expiry}`
  const changed = (sequence: number, key: string, position: object | null) => ({
    stream: 'positions',
    event: position ? 'position.updated' : 'position.removed',
    key,
    sequence,
    previous: sequence - 1,
    data: position,
  })

  it('of a dated pair is not told as the perpetual’s, nor is its end', async () => {
    const { exchange } = bot()
    const dated = { ...perpetual, expiry: DATED, size: '5' }
    const another = { ...perpetual, instrumentAddr: '0x2', size: '5' }
    const first = exchange.watchPositions([SYMBOL])
    const { message, tell } = await ask(0)
    tell({ id: message.id, result: 'success' })
    const records = [dated, another, perpetual].map((record) => ({ key: keyOf(record), data: record }))
    tell({ stream: 'positions', event: 'snapshot', sequence: 1, data: records })
    const seen = await first
    tell(changed(2, keyOf(dated), null))
    tell(changed(3, keyOf(another), null))
    tell(changed(4, keyOf(perpetual), { ...perpetual, size: '20000000000000000' }))
    while (seen.at(-1)?.contracts !== ('0.02' as never)) seen.push(...(await exchange.watchPositions([SYMBOL])))
    tell(changed(5, keyOf(perpetual), null))
    seen.push(...(await exchange.watchPositions([SYMBOL])))
    expect(seen.map(({ contracts }) => contracts)).toEqual(['0.01', '0.02', '0'])
    await exchange.close()
  })
})

describe('trades', () => {
  /** As the venue tells them: the newest last. */
  const trades = (...numbers: number[]) => {
    const { data } = documented('perp-openapi.json', 'GET', `${PREFIX}market/instruments`).body as {
      data: { instrumentAddress: string }[]
    }
    const { data: executions } = documented('perp-openapi.json', 'GET', `${PREFIX}execution/list`).body as {
      data: { list: object[] }
    }
    const told = numbers.map((nth) => ({ ...executions.list[0], id: `0x0${nth}-0`, timestamp: 1_790_000_000 + nth }))
    return { stream: 'trades', instrument: data[0]?.instrumentAddress, data: told }
  }
  const ids = (told: readonly { readonly id?: unknown }[]) => told.map(({ id }) => id)

  it('are told once and in their order, also those with which the venue begins anew after a cut', async () => {
    const { exchange } = bot()
    const first = exchange.watchTrades(SYMBOL)
    const before = await ask(0)
    before.tell({ id: before.message.id, result: 'success' })
    before.tell(trades(1, 2))
    expect(ids(await first)).toEqual(['0x01-0', '0x02-0'])
    const cut = lost(exchange.watchTrades(SYMBOL))
    before.socket.terminate()
    expect(await cut).toBe(ccxt.NetworkError)
    const second = exchange.watchTrades(SYMBOL)
    const after = await ask(1)
    after.tell({ id: after.message.id, result: 'success' })
    after.tell(trades(1, 2, 3))
    expect(ids(await second)).toEqual(['0x03-0'])
    await exchange.close()
  })
})

describe('a subscription', () => {
  it('that is refused is a BadRequest; one that fails after it was accepted is to be made again, and goes on', async () => {
    const { exchange } = bot()
    const refused = lost(exchange.watchOHLCV(SYMBOL, '2m'))
    const candles = await ask(0)
    candles.tell({ id: candles.message.id, result: 'params.interval is none' })
    expect(await refused).toBe(ccxt.BadRequest)
    const failed = lost(exchange.watchOrders())
    const { message, tell } = await ask(1)
    expect(message.id).toBe(2)
    tell({ id: 2, result: 'success' })
    tell({ id: 2, result: 'the node cannot be reached' })
    expect(await failed).toBe(ccxt.ExchangeNotAvailable)
    const orders = exchange.watchOrders()
    const again = await ask(2)
    again.tell({ id: again.message.id, result: 'success' })
    again.tell(snapshot(record({})))
    expect(told(await orders)).toEqual([['open', '0']])
    expect(again.socket).toBe(candles.socket)
    await exchange.close()
  })

  it('that the venue itself could not look at is to be made again', async () => {
    const { exchange } = bot()
    const failed = lost(exchange.watchOrders())
    const { message, tell } = await ask(0)
    tell({ id: message.id, result: 'internal error: subscribe again' })
    expect(await failed).toBe(ccxt.ExchangeNotAvailable)
    await exchange.close()
  })

  it('that ended, and nobody says which, ends the connection', async () => {
    const { exchange } = bot()
    const watched = [lost(exchange.watchOrderBook(SYMBOL)), lost(exchange.watchOrders())]
    await ask(1)
    const [one] = asked
    one?.socket.send(JSON.stringify({ id: null, result: 'internal error: subscribe again' }))
    expect(await Promise.all(watched)).toEqual([ccxt.NetworkError, ccxt.NetworkError])
    await exchange.close()
  })
})
