import { describe, expect, it, vi } from 'vitest'
import * as perp from '../src/perp/index.ts'
import * as stock from '../src/stock/index.ts'
import { type FakeSocket, ManualClock, sockets } from './fake-socket.ts'
import { hostile, stockAnswer, stockRefusal } from './hostile.ts'

const until = <T>(look: () => T): Promise<T> => vi.waitFor(look, { timeout: 60_000, interval: 1 })

async function stockStream(transport = hostile(() => stockAnswer({})).transport) {
  const { opened, open } = sockets()
  const clock = new ManualClock()
  const signer = { apiKey: 'k', secret: 's' }
  const options = { baseUrl: 'https://x/stock', chainId: 1, productType: 'B', signer, stream: open, clock, transport }
  const statuses: string[] = []
  const stream = stock.openStream(stock.createClient(options), { onStatus: (status) => statuses.push(status) })
  const nth = (index: number): Promise<FakeSocket> =>
    until(() => {
      const socket = opened[index]
      if (!socket) throw new Error(`${opened.length} connections`)
      return socket
    })
  return { stream, clock, statuses, opened, nth }
}

const parsed = ({ sent }: FakeSocket) => sent.map((text) => JSON.parse(text))
const snapshot = (sequence: number, reason = 'subscribed') => ({
  type: 'snapshot',
  channel: 'orders',
  sequence,
  reason,
  data: [],
})
const delta = (sequence: number, previous = sequence - 1) => ({
  type: 'delta',
  channel: 'orders',
  sequence,
  previous,
  data: {},
})
const kinds = (messages: readonly { type: string; sequence?: number }[]) =>
  messages.map(({ type, sequence }) => (sequence === undefined ? type : `${type} ${sequence}`))

describe('the stock stream', () => {
  it('subscribes, and resumes after a cut from what it saw last', async () => {
    const { stream, nth, clock, statuses } = await stockStream()
    const got: stock.StockMessage[] = []
    stream.subscribe('orders', (message) => got.push(message))
    const first = await nth(0)
    expect(first.url).toBe('wss://x/stock/api/v1/stream')
    first.open()
    first.tell(snapshot(4))
    first.tell(delta(5))
    first.end()
    await until(() => expect(clock.waits).toHaveLength(1))
    expect(clock.pass()).toBeLessThanOrEqual(500)
    const second = await nth(1)
    second.open()
    expect(parsed(second)).toEqual([{ op: 'subscribe', channel: 'orders', from: 5 }])
    second.tell({ type: 'resumed', channel: 'orders', sequence: 5 })
    second.tell(delta(6))
    expect(kinds(got)).toEqual(['snapshot 4', 'delta 5', 'delta 6'])
    expect(statuses).toEqual(['connecting', 'open', 'waiting', 'connecting', 'open'])
    stream.close()
    expect([statuses.at(-1), second.isClosed]).toEqual(['closed', true])
  })

  it('marks what cannot be resumed as a gap, before the state from which to begin anew', async () => {
    const { stream, nth, clock } = await stockStream()
    const got: stock.StockMessage[] = []
    stream.subscribe('orders', (message) => got.push(message))
    const first = await nth(0)
    first.open()
    first.tell(snapshot(4))
    first.end()
    await until(() => expect(clock.waits).toHaveLength(1))
    clock.pass()
    const second = await nth(1)
    second.open()
    second.tell(snapshot(90, 'too_old'))
    expect(got.slice(1)).toEqual([{ type: 'gap', after: 4, next: 90 }, snapshot(90, 'too_old')])
    stream.close()
  })

  it('tells nothing twice, and connects anew to get what it missed', async () => {
    const { stream, nth, clock } = await stockStream()
    const got: stock.StockMessage[] = []
    stream.subscribe('orders', (message) => got.push(message))
    const first = await nth(0)
    first.open()
    first.tell(snapshot(4))
    first.tell(delta(5))
    first.tell(delta(5))
    first.tell(delta(8))
    first.tell(delta(9))
    expect(kinds(got)).toEqual(['snapshot 4', 'delta 5'])
    await until(() => expect(clock.waits).toHaveLength(1))
    clock.pass()
    const second = await nth(1)
    second.open()
    expect(parsed(second)).toEqual([{ op: 'subscribe', channel: 'orders', from: 5 }])
    stream.close()
  })

  it('asks for a sign of life, and gives up a connection that is silent', async () => {
    const { stream, nth, clock, statuses } = await stockStream()
    stream.subscribe('orders', () => {})
    const first = await nth(0)
    first.open()
    for (const pings of [1, 2]) {
      await until(() => expect(clock.waits).toHaveLength(1))
      expect(clock.pass()).toBe(10_000)
      await until(() => expect(first.sent.filter((text) => text === '{"op":"ping"}')).toHaveLength(pings))
    }
    first.tell({ type: 'pong', id: null, time: 1 })
    for (let nth = 0; nth < 3; nth++) {
      await until(() => expect(clock.waits).toHaveLength(1))
      expect(first.isClosed).toBe(false)
      clock.pass()
    }
    await until(() => expect([first.isClosed, statuses.at(-1)]).toEqual([true, 'waiting']))
    stream.close()
  })

  it('waits longer after each connection that fails', async () => {
    const { stream, nth, clock } = await stockStream()
    const waited: number[] = []
    for (let index = 0; index < 4; index++) {
      ;(await nth(index)).end()
      await until(() => expect(clock.waits).toHaveLength(1))
      waited.push(clock.pass())
    }
    for (const [index, ms] of waited.entries()) {
      expect(ms).toBeGreaterThanOrEqual(250 * 2 ** index)
      expect(ms).toBeLessThanOrEqual(500 * 2 ** index)
    }
    stream.close()
  })

  it('ends for good when the key has ended, and says so on every channel', async () => {
    const { stream, nth, statuses } = await stockStream()
    const got: stock.StockMessage[] = []
    stream.subscribe('cash', (message) => got.push(message))
    const first = await nth(0)
    first.open()
    first.end(4003)
    await until(() => expect(statuses.at(-1)).toBe('closed'))
    expect(got).toEqual([{ type: 'error', reason: 'ended', message: 'the API key was disabled or has expired' }])
  })

  it('ends for good when its upgrade is refused for want of a key', async () => {
    const { transport, got } = hostile(() => stockRefusal({ status: 400, code: 401, t: 1_700_000_000_000 }))
    const { nth, statuses } = await stockStream(transport)
    ;(await nth(0)).end()
    await until(() => expect(statuses.at(-1)).toBe('closed'))
    expect(new Set(got.map(({ url }) => url))).toEqual(new Set(['https://x/stock/api/v1/clock']))
  })

  it('corrects the clock by a request when its upgrade is refused', async () => {
    const nowMs = 1_700_000_060_000
    const { transport } = hostile(
      () => stockRefusal({ status: 400, code: 401, t: nowMs }),
      () => stockAnswer({}, nowMs),
    )
    const { stream, nth, clock, statuses } = await stockStream(transport)
    const first = await nth(0)
    first.end()
    await until(() => expect(statuses.at(-1)).toBe('waiting'))
    clock.pass()
    const second = await nth(1)
    const signedAt = (socket: FakeSocket) => Number(/17\d{11}/.exec(socket.protocols.join())?.[0])
    expect(signedAt(second) - signedAt(first)).toBeGreaterThanOrEqual(60_000)
    stream.close()
  })

  it('leaves a channel when nobody listens any more, and begins anew for whoever joins', async () => {
    const { stream, nth } = await stockStream()
    const [early, late]: stock.StockMessage[][] = [[], []]
    const one = stream.subscribe('orders', (message) => early?.push(message))
    const first = await nth(0)
    first.open()
    first.tell(snapshot(4))
    const two = stream.subscribe('orders', (message) => late?.push(message))
    first.tell(delta(5))
    first.tell(snapshot(5))
    expect([kinds(early ?? []), kinds(late ?? [])]).toEqual([['snapshot 4', 'snapshot 5'], ['snapshot 5']])
    one.close()
    one.close()
    first.tell(delta(6))
    two.close()
    expect(kinds(late ?? [])).toEqual(['snapshot 5', 'delta 6'])
    expect(parsed(first).map(({ op }) => op)).toEqual(['subscribe', 'unsubscribe', 'subscribe', 'unsubscribe'])
    stream.close()
  })

  it('tells a refused channel why', async () => {
    const { stream, nth } = await stockStream()
    const got: stock.StockMessage[] = []
    stream.subscribe('quotes:NONE', (message) => got.push(message))
    const first = await nth(0)
    first.open()
    const refusal = { type: 'error', channel: 'quotes:NONE', reason: 'symbol_unknown', message: 'no such symbol' }
    first.tell(refusal)
    expect(got).toEqual([refusal])
    stream.close()
  })

  it('asks for a channel again, over the same connection, that was asked for too often', async () => {
    const { stream, nth, clock, opened } = await stockStream()
    const got: stock.StockMessage[] = []
    stream.subscribe('orders', (message) => got.push(message))
    const first = await nth(0)
    first.open()
    await until(() => expect(clock.waits).toHaveLength(1))
    first.tell({ type: 'error', channel: 'orders', reason: 'rate_limited', message: 'try again in 20 s' })
    await until(() => expect(clock.waits).toHaveLength(2))
    clock.waits.pop()?.end()
    await until(() => expect(parsed(first)).toHaveLength(2))
    first.tell(snapshot(1))
    expect(kinds(got)).toEqual(['error', 'snapshot 1'])
    expect([parsed(first)[1], opened.length]).toEqual([{ op: 'subscribe', channel: 'orders' }, 1])
    stream.close()
  })
})

describe('a channel of stocks that the venue cannot read', () => {
  const failed = {
    type: 'error',
    channel: 'orders',
    reason: 'internal_error',
    message: 'internal error: subscribe again',
  }

  it('is asked for later and later over the same connection, from where it was, and the others go on', async () => {
    const { stream, nth, clock, opened } = await stockStream()
    const [got, quotes]: stock.StockMessage[][] = [[], []]
    stream.subscribe('orders', (message) => got?.push(message))
    stream.subscribe('quotes:AAPL', (message) => quotes?.push(message))
    const first = await nth(0)
    first.open()
    first.tell(snapshot(1))
    await until(() => expect(clock.waits).toHaveLength(1))
    const pauses: number[] = []
    for (const times of [1, 2, 3]) {
      first.tell(failed)
      await until(() => expect(clock.waits).toHaveLength(2))
      const wait = clock.waits.pop()
      pauses.push(wait?.ms ?? 0)
      wait?.end()
      await until(() => expect(parsed(first)).toHaveLength(2 + times))
    }
    // Half a second, one and two, and up to half of it less.
    expect(pauses.map((ms, nth) => ms >= 250 * 2 ** nth && ms <= 500 * 2 ** nth)).toEqual([true, true, true])
    expect(parsed(first).at(-1)).toEqual({ op: 'subscribe', channel: 'orders', from: 1 })
    first.tell({ type: 'snapshot', channel: 'quotes:AAPL', sequence: 7, reason: 'subscribed', data: {} })
    first.tell({ type: 'resumed', channel: 'orders', sequence: 1 })
    first.tell(delta(2))
    expect([kinds(got ?? []), kinds(quotes ?? [])]).toEqual([
      ['snapshot 1', 'error', 'error', 'error', 'delta 2'],
      ['snapshot 7'],
    ])
    // It was read meanwhile: the next failure is the first one again.
    first.tell(failed)
    await until(() => expect(clock.waits).toHaveLength(2))
    expect(clock.waits.at(-1)?.ms).toBeLessThanOrEqual(500)
    expect(opened).toHaveLength(1)
    stream.close()
  })

  it('is not asked for again once it is left, or followed anew meanwhile', async () => {
    const { stream, nth, clock } = await stockStream()
    const left = stream.subscribe('cash', () => {})
    stream.subscribe('orders', () => {})
    const first = await nth(0)
    first.open()
    await until(() => expect(clock.waits).toHaveLength(1))
    for (const channel of ['cash', 'orders']) first.tell({ ...failed, channel })
    await until(() => expect(clock.waits).toHaveLength(3))
    left.close()
    first.tell(snapshot(1))
    const before = parsed(first).length
    for (const wait of clock.waits.splice(1)) wait.end()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(parsed(first)).toHaveLength(before)
    stream.close()
  })
})

describe('the perpetual stream', () => {
  const A = '0x00000000000000000000000000000000000000Aa'
  const B = '0x00000000000000000000000000000000000000bb'

  function perpStream(more: Partial<perp.ClientOptions> = {}) {
    const { opened, open } = sockets()
    const clock = new ManualClock()
    const client = perp.createClient({ baseUrl: 'http://x', chainId: 7, stream: open, clock, ...more })
    return { stream: perp.openStream(client), opened, clock }
  }
  const first = (opened: readonly FakeSocket[], index = 0) =>
    until(() => {
      const socket = opened[index]
      if (!socket) throw new Error('no connection yet')
      return socket
    })

  it('tells each channel what is about it alone', async () => {
    const { stream, opened } = perpStream()
    const got: Record<string, unknown[]> = { a: [], b: [], hour: [], trades: [], me: [] }
    const into = (name: string) => (message: perp.PerpMessage) =>
      got[name]?.push(message.type === 'data' ? message.data : message.type)
    stream.subscribe({ type: 'orderBook', instrument: A, expiry: 1 }, into('a'))
    stream.subscribe({ type: 'orderBook', instrument: B, expiry: 1 }, into('b'))
    stream.subscribe({ type: 'kline', instrument: A, expiry: 1, interval: '1h' }, into('hour'))
    stream.subscribe({ type: 'trades', pairs: [`${A}_1`] }, into('trades'))
    stream.subscribe({ type: 'portfolio', userAddress: B }, into('me'))
    const socket = await first(opened)
    socket.open()
    expect(socket.url).toBe('ws://x/v4/public/ws')
    expect(parsed(socket)[0]).toEqual({
      id: 1,
      method: 'SUBSCRIBE',
      params: { chainId: 7, type: 'orderBook', instrument: A, expiry: 1 },
    })
    const about = { chainId: 7, instrument: A.toLowerCase(), expiry: 1 }
    socket.tell({ id: 1, result: 'success' })
    socket.tell({ stream: 'orderBook', ...about, data: 'book of A' })
    socket.tell({ stream: 'orderBook', ...about, instrument: B, data: 'book of B' })
    socket.tell({ stream: 'kline', ...about, data: { interval: '1m' } })
    socket.tell({ stream: 'kline', ...about, data: { interval: '1h' } })
    socket.tell({ stream: 'trades', ...about, data: ['of A'] })
    socket.tell({ stream: 'trades', ...about, expiry: 2, data: ['dated'] })
    socket.tell({ stream: 'portfolio', chainId: 7, data: { userAddress: A } })
    socket.tell({ stream: 'portfolio', chainId: 7, data: { userAddress: B } })
    expect(got).toEqual({
      a: ['book of A'],
      b: ['book of B'],
      hour: [{ interval: '1h' }],
      trades: [['of A']],
      me: [{ userAddress: B }],
    })
    stream.close()
  })

  it('marks a gap after a cut where a channel does not count', async () => {
    const { stream, opened, clock } = perpStream()
    const got: perp.PerpMessage[] = []
    stream.subscribe({ type: 'common' }, (message) => got.push(message))
    const socket = await first(opened)
    expect(socket.protocols).toEqual([])
    socket.open()
    socket.tell({ id: 1, result: 'success' })
    socket.end()
    await until(() => expect(clock.waits).toHaveLength(1))
    clock.pass()
    const again = await first(opened, 1)
    again.open()
    again.tell({ id: 1, result: 'success' })
    expect(got).toEqual([{ type: 'gap', after: null, next: null }])
    stream.close()
  })

  describe('of a wallet', () => {
    const signer = { apiKey: 'k', secret: 's' }
    const about = { stream: 'orders', chainId: 7, time: 5 }
    const snapshot = (sequence: number, reason = 'subscribed') => ({
      ...about,
      event: 'snapshot',
      reason,
      sequence,
      total: 1,
      data: [{ key: '9', data: { state: sequence } }],
    })
    const delta = (sequence: number, previous = sequence - 1) => ({
      ...about,
      event: 'order.updated',
      version: 1,
      id: `m${sequence}`,
      key: '9',
      sequence,
      previous,
      data: { state: sequence },
    })
    const states = (messages: readonly perp.PerpMessage[]) =>
      messages.map((message) => (message.type === 'delta' ? message.sequence : message.type))

    it('is signed by protocols, begins with a snapshot, takes each message once and goes on where it was cut', async () => {
      const { stream, opened, clock } = perpStream({ signer })
      const got: perp.PerpMessage[] = []
      stream.subscribe({ type: 'orders' }, (message) => got.push(message))
      const socket = await first(opened)
      expect(socket.protocols).toEqual([
        'bourse',
        'key.k',
        'ts.1700000000000',
        expect.stringMatching(/^sign\.[\w-]{43}$/),
      ])
      socket.open()
      socket.tell({ id: 1, result: 'success' })
      // Of an earlier subscription: what holds is in the snapshot.
      socket.tell(delta(1))
      socket.tell(snapshot(2))
      for (const message of [delta(2), delta(3), delta(3)]) socket.tell(message)
      expect(got[0]).toEqual({
        type: 'snapshot',
        stream: 'orders',
        sequence: 2,
        reason: 'subscribed',
        total: 1,
        data: [{ key: '9', data: { state: 2 } }],
      })
      socket.end()
      await until(() => expect(clock.waits).toHaveLength(1))
      clock.pass()
      const again = await first(opened, 1)
      again.open()
      expect(parsed(again)[0]).toEqual({ id: 1, method: 'SUBSCRIBE', params: { chainId: 7, type: 'orders', from: 3 } })
      again.tell({ id: 1, result: 'success' })
      again.tell({ ...about, event: 'resumed', sequence: 3 })
      again.tell(delta(4))
      expect(states(got)).toEqual(['snapshot', 3, 4])
      stream.close()
    })

    it('marks what is too old to be told, and connects anew when a message is missing', async () => {
      const { stream, opened, clock } = perpStream({ signer })
      const got: perp.PerpMessage[] = []
      stream.subscribe({ type: 'orders' }, (message) => got.push(message))
      const socket = await first(opened)
      socket.open()
      socket.tell(snapshot(2))
      socket.tell(delta(4))
      await until(() => expect(clock.waits).toHaveLength(1))
      clock.pass()
      const again = await first(opened, 1)
      again.open()
      again.tell(snapshot(8, 'too_old'))
      expect(states(got)).toEqual(['snapshot', 'gap', 'snapshot'])
      expect(got[1]).toEqual({ type: 'gap', after: 2, next: 8 })
      stream.close()
    })

    it('is asked for again, from where it was, when it fails after it was accepted', async () => {
      const { stream, opened, clock } = perpStream({ signer })
      const got: perp.PerpMessage[] = []
      const blocks: perp.PerpMessage[] = []
      stream.subscribe({ type: 'orders' }, (message) => got.push(message))
      stream.subscribe({ type: 'common' }, (message) => blocks.push(message))
      const socket = await first(opened)
      socket.open()
      socket.tell({ id: 1, result: 'success' })
      socket.tell({ id: 2, result: 'success' })
      socket.tell(snapshot(2))
      await until(() => expect(clock.waits).toHaveLength(1))
      // The venue had to read it anew, and could not.
      socket.tell({ id: 1, result: 'internal error: subscribe again' })
      expect(got.at(-1)).toMatchObject({ type: 'error', reason: 'internal_error' })
      await until(() => expect(clock.waits).toHaveLength(2))
      clock.waits.pop()?.end()
      const again = { id: 3, method: 'SUBSCRIBE', params: { chainId: 7, type: 'orders', from: 2 } }
      await until(() => expect(parsed(socket).at(-1)).toEqual(again))
      socket.tell({ id: 3, result: 'success' })
      socket.tell({ ...about, event: 'resumed', sequence: 2 })
      socket.tell(delta(3))
      expect(states(got)).toEqual(['snapshot', 'error', 3])
      socket.tell({ stream: 'blockNumChanged', chainId: 7, data: 5 })
      expect(blocks).toMatchObject([{ type: 'data', data: 5 }])
      expect(opened).toHaveLength(1)
      stream.close()
    })

    it('ends for good with its key', async () => {
      const { stream, opened } = perpStream({ signer })
      const got: perp.PerpMessage[] = []
      stream.subscribe({ type: 'orders' }, (message) => got.push(message))
      const socket = await first(opened)
      socket.open()
      socket.end(4003)
      await until(() => expect(got).toMatchObject([{ type: 'error', reason: 'ended' }]))
    })
  })

  it('asks for a channel later and later while its state cannot be read, unless it is left', async () => {
    const { stream, opened, clock } = perpStream()
    const got: perp.PerpMessage[] = []
    const book = { type: 'orderBook', instrument: A, expiry: 1 } as const
    const subscription = stream.subscribe(book, (message) => got.push(message))
    const socket = await first(opened)
    socket.open()
    await until(() => expect(clock.waits).toHaveLength(1))
    const pauses: number[] = []
    for (const id of [1, 2, 3]) {
      socket.tell({ id, result: 'success' })
      socket.tell({ id, result: 'the node cannot be reached' })
      await until(() => expect(clock.waits).toHaveLength(2))
      const wait = clock.waits.pop()
      pauses.push(wait?.ms ?? 0)
      if (id === 3) subscription.close()
      wait?.end()
      if (id < 3) await until(() => expect(parsed(socket)).toHaveLength(id + 1))
    }
    expect(got.filter(({ type }) => type === 'error')).toHaveLength(3)
    // Half a second, one and two, and up to half of it less.
    expect(pauses.map((ms, nth) => ms >= 250 * 2 ** nth && ms <= 500 * 2 ** nth)).toEqual([true, true, true])
    await until(() =>
      expect(
        parsed(socket)
          .map(({ method }) => method)
          .at(-1),
      ).toBe('UNSUBSCRIBE'),
    )
    expect(parsed(socket)).toHaveLength(4)
    stream.close()
  })

  it('asks for a channel again whose subscription the venue itself failed to look at', async () => {
    const { stream, opened, clock } = perpStream()
    stream.subscribe({ type: 'common' }, () => {})
    const socket = await first(opened)
    socket.open()
    await until(() => expect(clock.waits).toHaveLength(1))
    const passing = ['internal error: subscribe again', 'too many requests: try again in 5 s']
    for (const [nth, result] of passing.entries()) {
      socket.tell({ id: nth + 1, result })
      await until(() => expect(clock.waits).toHaveLength(2))
      clock.waits.pop()?.end()
      await until(() => expect(parsed(socket)[nth + 1]).toMatchObject({ id: nth + 2, method: 'SUBSCRIBE' }))
    }
    stream.close()
  })

  it('connects anew when the venue does not say which channel it follows no more', async () => {
    const { stream, opened, clock } = perpStream()
    stream.subscribe({ type: 'common' }, () => {})
    const socket = await first(opened)
    socket.open()
    socket.tell({ id: 1, result: 'success' })
    socket.tell({ id: null, result: 'internal error: subscribe again' })
    expect(socket.isClosed).toBe(true)
    await until(() => expect(clock.waits).toHaveLength(1))
    clock.pass()
    expect(await first(opened, 1)).not.toBe(socket)
    stream.close()
  })

  it('tells a refused subscription why, and keeps alive by a ping', async () => {
    const { stream, opened, clock } = perpStream()
    const got: perp.PerpMessage[] = []
    stream.subscribe({ type: 'orderBook', instrument: '0x', expiry: 1 }, (message) => got.push(message))
    const socket = await first(opened)
    socket.open()
    socket.tell({ id: 1, result: 'params.instrument must be the address of an instrument' })
    expect(got).toMatchObject([{ type: 'error', message: 'params.instrument must be the address of an instrument' }])
    await until(() => expect(clock.waits).toHaveLength(1))
    clock.pass()
    await until(() => expect(socket.sent.at(-1)).toBe('ping'))
    socket.tell('pong')
    stream.close()
  })
})
