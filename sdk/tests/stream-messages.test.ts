import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import { amountReader } from '../src/core/json.ts'
import * as perp from '../src/perp/index.ts'
import * as stock from '../src/stock/index.ts'
import { ManualClock, sockets } from './fake-socket.ts'

// What a listener is told of each channel: its type, and that the messages of the stream's document arrive as it.

const signer = { apiKey: 'k', secret: 's' }
const until = <T>(look: () => T): Promise<T> => vi.waitFor(look, { timeout: 60_000, interval: 1 })

/** Streams over one connection that the test plays. */
async function opened<Stream>(open: (options: Pick<stock.ClientOptions, 'stream' | 'clock'>) => Stream) {
  const played = sockets()
  const stream = open({ stream: played.open, clock: new ManualClock() })
  const socket = await until(() => {
    const [first] = played.opened
    if (!first) throw new Error('no connection yet')
    return first
  })
  return { stream, socket, connections: played.opened }
}
const stockStream = () =>
  opened((options) =>
    stock.openStream(stock.createClient({ baseUrl: 'https://x', chainId: 1, productType: 'B', signer, ...options })),
  )
const perpStream = () =>
  opened((options) => perp.openStream(perp.createClient({ baseUrl: 'http://x', chainId: 31_337, signer, ...options })))

interface Example {
  readonly stream?: string
  readonly channel?: string
  readonly type?: string
  readonly event?: string
  readonly sequence?: number
  readonly previous?: number
  readonly data?: unknown
}

/** What the venue sends, by the name of the message. */
function examplesOf(file: string): readonly (readonly [name: string, example: Example])[] {
  const { operations, components } = JSON.parse(
    readFileSync(join(import.meta.dirname, '../../docs/reference', `${file}.json`), 'utf8'),
  )
  return operations.tell.messages.map(({ $ref }: { $ref: string }) => {
    const name = $ref.split('/').at(-1) ?? ''
    return [name, components.messages[name].examples[0].payload]
  })
}
const asText = (value: unknown, decimals: readonly string[]) => amountReader(decimals)(JSON.stringify(value))

describe('a listener of stocks', () => {
  it('is told what its channel has', async () => {
    const { stream, socket } = await stockStream()
    stream.subscribe('orders', (message) => {
      expectTypeOf(message).toEqualTypeOf<stock.StockMessage<'orders'>>()
      if (message.type === 'snapshot')
        expectTypeOf(message.data[0]?.data).toEqualTypeOf<stock.OrderDetail | undefined>()
      if (message.type !== 'delta') return
      expectTypeOf(message.data).toEqualTypeOf<stock.OrderDetail | null>()
      if (message.event === 'order.updated') expectTypeOf(message.data).toEqualTypeOf<stock.OrderDetail>()
      if (message.event === 'order.removed') expectTypeOf(message.data).toEqualTypeOf<null>()
      // @ts-expect-error an event of another channel
      if (message.event === 'quote.updated') return
      // @ts-expect-error a field that an order does not have
      expect(message.data?.depositOperation)
    })
    stream.subscribe(`quotes:${String('AAPL')}`, (message) => {
      if (message.type === 'delta') expectTypeOf(message.data).toEqualTypeOf<stock.Price>()
    })
    stream.subscribe('candles:AAPL:5m', (message) => {
      if (message.type === 'snapshot') expectTypeOf(message.data).toEqualTypeOf<readonly stock.Bar[]>()
    })
    for (const channel of ['cash', 'stock'] as const) {
      stream.subscribe(channel, (message) => {
        if (message.type !== 'delta') return
        if (message.channel === 'cash') expectTypeOf(message.data).toEqualTypeOf<stock.CashOperation | null>()
        else expectTypeOf(message.data).toEqualTypeOf<stock.StockOperation | null>()
      })
    }
    // @ts-expect-error no such channel
    stream.subscribe('trades', () => {})
    // @ts-expect-error no such interval
    stream.subscribe('candles:AAPL:2m', () => {})
    // @ts-expect-error what another channel tells
    stream.subscribe('cash', (_: stock.StockMessage<'orders'>) => {})
    socket.open()
    // Types alone refuse what is not known: a later venue may have it.
    expect(new Set(socket.sent.map((text) => JSON.parse(text).channel))).toEqual(
      new Set(['orders', 'quotes:AAPL', 'candles:AAPL:5m', 'cash', 'stock', 'trades', 'candles:AAPL:2m']),
    )
    stream.close()
  })

  const { DECIMALS } = stock
  const examples = examplesOf('asyncapi').filter(([, { type }]) => type === 'snapshot' || type === 'delta')

  it.each(examples)('is told %s as the document has it', async (_, example) => {
    const { stream, socket } = await stockStream()
    const got: stock.StockMessage[] = []
    stream.subscribe(example.channel as stock.StockChannel, (message) => got.push(message))
    socket.open()
    const { channel, previous } = example
    if (example.type === 'delta')
      socket.tell({ type: 'snapshot', channel, sequence: previous, reason: 'subscribed', data: [] })
    socket.tell(example)
    expect(got.at(-1)).toEqual(asText(example, DECIMALS))
    stream.close()
  })

  it('hears nothing of a message of a kind that is not known, and the stream goes on', async () => {
    const { stream, socket, connections } = await stockStream()
    const got: stock.StockMessage[] = []
    stream.subscribe('orders', (message) => got.push(message))
    socket.open()
    const next = {
      type: 'delta',
      channel: 'orders',
      sequence: 2,
      previous: 1,
      event: 'order.moved',
      data: {},
      more: [],
    }
    socket.tell({ type: 'snapshot', channel: 'orders', sequence: 1, reason: 'subscribed', data: [] })
    for (const about of [{}, { channel: 'orders' }, { channel: 'orders', sequence: 9 }, { channel: 'news' }]) {
      socket.tell({ type: 'announced', ...about })
    }
    socket.tell(next)
    expect(got.slice(1)).toEqual([next])
    expect([connections.length, socket.isClosed]).toEqual([1, false])
    stream.close()
  })
})

const A = '0x00000000000000000000000000000000000000aa'
const pair = { instrument: A, expiry: 1 }

describe('a listener of perpetuals', () => {
  it('is told what a channel of the market has', async () => {
    const { stream, socket } = await perpStream()
    stream.subscribe({ type: 'orderBook', ...pair }, (message) => {
      if (message.type === 'data') expectTypeOf(message.data).toEqualTypeOf<perp.Books>()
      // @ts-expect-error what a wallet's channel alone tells
      if (message.type === 'snapshot') return
    })
    stream.subscribe({ type: 'kline', interval: '1h', ...pair }, (message) => {
      if (message.type === 'data') expectTypeOf(message.data).toEqualTypeOf<perp.Kline>()
    })
    stream.subscribe({ type: 'trades', pairs: [`${A}_1`] }, (message) => {
      if (message.type === 'data') expectTypeOf(message.data).toEqualTypeOf<readonly perp.Trade[]>()
    })
    stream.subscribe({ type: 'portfolio', userAddress: A }, (message) => {
      if (message.type === 'data') expectTypeOf(message.data).toEqualTypeOf<perp.Signal>()
    })
    stream.subscribe({ type: 'common' }, (message) => {
      if (message.type !== 'data') return
      if (message.stream === 'marketListChanged') expectTypeOf(message.data).toEqualTypeOf<readonly perp.Pair[]>()
      else expectTypeOf(message.data.blockNum).toEqualTypeOf<number>()
    })
    stream.subscribe({ type: 'instrument', ...pair }, (message) => {
      if (message.type !== 'data') return
      if (message.stream === 'instrument') expectTypeOf(message.data).toEqualTypeOf<perp.FullInstrument>()
      else expectTypeOf(message.data.fairPrice).toEqualTypeOf<string>()
    })
    // @ts-expect-error no such interval
    stream.subscribe({ type: 'kline', interval: '2h', ...pair }, () => {})
    // @ts-expect-error what another channel tells
    stream.subscribe({ type: 'common' }, (_: perp.PerpMessage<'trades'>) => {})
    socket.open()
    expect(typesAsked(socket.sent)).toEqual(
      new Set(['orderBook', 'kline', 'trades', 'portfolio', 'common', 'instrument']),
    )
    stream.close()
  })

  it('is told what a wallet’s channel has', async () => {
    type RecordOf<Type extends perp.PerpWalletChannel> = perp.PerpDelta<Type>['data']
    expectTypeOf<RecordOf<'orders'>>().toEqualTypeOf<perp.Order | null>()
    expectTypeOf<RecordOf<'executions'>>().toEqualTypeOf<perp.Execution | null>()
    expectTypeOf<RecordOf<'positions'>>().toEqualTypeOf<perp.ToldPosition | null>()
    expectTypeOf<RecordOf<'account'>>().toEqualTypeOf<perp.Movement | null>()
    expectTypeOf<RecordOf<'liquidity'>>().toEqualTypeOf<perp.Range | null>()
    expectTypeOf<RecordOf<'keptOrders'>>().toEqualTypeOf<perp.KeptOrder | null>()
    expectTypeOf<RecordOf<'sends'>>().toEqualTypeOf<perp.FailedSend | null>()
    const { stream, socket } = await perpStream()
    stream.subscribe({ type: 'keptOrders' }, (message) => {
      if (message.type === 'snapshot') expectTypeOf(message.data[0]?.data).toEqualTypeOf<perp.KeptOrder | undefined>()
      if (message.type !== 'delta') return
      if (message.event === 'keptOrder.updated') expectTypeOf(message.data).toEqualTypeOf<perp.KeptOrder>()
      // @ts-expect-error an event of another channel
      if (message.event === 'order.updated') return
      // @ts-expect-error a record that is no more has no fields
      expect(message.data.symbol)
    })
    socket.open()
    expect(typesAsked(socket.sent)).toEqual(new Set(['keptOrders']))
    stream.close()
  })

  const { DECIMALS } = perp
  const channels: readonly perp.PerpChannel[] = [
    { type: 'orderBook', ...pair },
    { type: 'kline', interval: '1h', ...pair },
    { type: 'instrument', ...pair },
    { type: 'common' },
    { type: 'trades', pairs: [`${A}_1`] },
    { type: 'portfolio', userAddress: A },
    ...(['orders', 'executions', 'positions', 'account', 'liquidity', 'keptOrders', 'sends'] as const).map((type) => ({
      type,
    })),
  ]
  const examples = examplesOf('perp-asyncapi').filter(
    ([, { stream, event }]) => stream !== undefined && event !== 'resumed',
  )

  it.each(examples)('is told %s once, and with its data', async (_, example) => {
    const { stream, socket } = await perpStream()
    const got: perp.PerpMessage[] = []
    for (const channel of channels) stream.subscribe(ofExample(channel, example), (message) => got.push(message))
    socket.open()
    for (const id of channels.keys()) socket.tell({ id: id + 1, result: 'success' })
    const { stream: name, previous } = example
    if (previous !== undefined)
      socket.tell({ stream: name, event: 'snapshot', sequence: previous, reason: 'subscribed', data: [] })
    socket.tell(example)
    const told = got.filter((message) => !(previous !== undefined && message.type === 'snapshot'))
    expect(told).toMatchObject([{ stream: name, data: asText(example.data, DECIMALS) }])
    stream.close()
  })

  it('hears nothing of a message of a kind that is not known, and the stream goes on', async () => {
    const { stream, socket, connections } = await perpStream()
    const got: perp.PerpMessage[] = []
    stream.subscribe({ type: 'orders' }, (message) => got.push(message))
    socket.open()
    socket.tell({ id: 1, result: 'success' })
    socket.tell({ stream: 'orders', event: 'snapshot', sequence: 1, reason: 'subscribed', total: 0, data: [] })
    for (const about of [{}, { stream: 'news', data: 1 }, { stream: 'orders', event: 'announced', data: 1 }]) {
      socket.tell({ chainId: 31_337, ...about })
    }
    socket.tell({ stream: 'orders', event: 'order.moved', sequence: 2, previous: 1, data: {}, more: [] })
    expect(got.slice(1)).toMatchObject([{ type: 'delta', event: 'order.moved', sequence: 2 }])
    expect([connections.length, socket.isClosed]).toEqual([1, false])
    stream.close()
  })
})

const typesAsked = (sent: readonly string[]) => new Set(sent.map((text) => JSON.parse(text).params.type))

/** The channel that an example of its kind would come by. */
function ofExample(channel: perp.PerpChannel, { data, ...head }: Example): perp.PerpChannel {
  const about = { ...(data as object | null), ...head } as Record<string, string | number>
  const own = Object.entries(channel).map(([name, value]) => [name, name === 'type' ? value : (about[name] ?? value)])
  const pairs = 'pairs' in channel ? { pairs: [`${about.instrument}_${about.expiry}`] } : {}
  return { ...Object.fromEntries(own), ...pairs } as perp.PerpChannel
}
