import ccxt from 'ccxt'
import { describe, expect, it } from 'vitest'
import { type Answers, documented, offline, type Reply } from './exchange.ts'
import { expectStructures } from './structures.ts'

// Requests and answers without a venue: what is asked, and what ccxt's structures say of the answers in the reference.

const PREFIX = '/v4/public/trader/'
const SYMBOL = 'BTC/USDC:USDC'
const HASH = '0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b'

const fromReference: Answers = ({ method, target }) =>
  documented('perp-openapi.json', method, target.split('?')[0] ?? '')

const answering =
  (own: Readonly<Record<string, unknown>>): Answers =>
  (asked) => {
    const path = asked.target.split('?')[0]?.slice(PREFIX.length) ?? ''
    return path in own ? { body: { code: 0, msg: '', data: own[path] } } : fromReference(asked)
  }

const confirmed = { txHash: HASH, sendId: 's', status: 'Confirmed', failure: null }

/** An answer of the reference with fields of its record changed. */
function changed(path: string, fields: object): unknown {
  const { data } = (documented('perp-openapi.json', 'GET', PREFIX + path) as Reply & { body: { data: unknown } }).body
  const list = Array.isArray(data) ? data : (data as { list: object[] }).list
  const rows = list.map((row: object) => ({ ...row, ...fields }))
  return Array.isArray(data) ? rows : { list: rows, totalCount: rows.length }
}

const paths = (asked: readonly { target: string }[]) => asked.map(({ target }) => target.slice(PREFIX.length))

describe('market data', () => {
  it('has the structures of ccxt', async () => {
    const { exchange } = offline(fromReference)
    expectStructures('market', Object.values(await exchange.loadMarkets()))
    expectStructures('ticker', [await exchange.fetchTicker(SYMBOL)])
    expectStructures('orderBook', [await exchange.fetchOrderBook(SYMBOL)])
    expectStructures('fundingRate', await exchange.fetchFundingRateHistory(SYMBOL))
    expectStructures('fundingRate', [await exchange.fetchFundingRate(SYMBOL)])
    const [candle] = await exchange.fetchOHLCV(SYMBOL, '1h')
    expect(candle).toEqual([1_764_000_000_000, 60_000, 60_120.5, 59_980.25, 60_110, 1.25])
  })

  it('tells steps and bounds of a market', async () => {
    const { exchange } = offline(fromReference)
    const market = (await exchange.loadMarkets())[SYMBOL]
    expect(market).toMatchObject({ linear: true, contractSize: 1, settle: 'USDC', precision: { amount: 1e-18 } })
    expect(exchange.amountToPrecision(SYMBOL, 0.123456789012345)).toBe('0.123456789012345')
    expect(market?.limits.leverage?.max).toBe(10)
  })

  it('has of two instruments of one symbol the first, as the venue means it by the symbol', async () => {
    const two = (path: string) => {
      const [row] = [(documented('perp-openapi.json', 'GET', PREFIX + path).body as { data: unknown }).data].flat()
      const of = (nth: number) => ({
        ...(row as object),
        instrumentAddress: `0x${nth}`,
        lastPrice: `${nth}${'0'.repeat(18)}`,
      })
      return [of(1), of(2)]
    }
    const own = { 'market/instruments': two('market/instruments'), 'market/tickers': two('market/tickers') }
    const { exchange } = offline(answering(own))
    expect(await exchange.fetchMarkets()).toHaveLength(1)
    await exchange.loadMarkets()
    expect(exchange.market(SYMBOL).info.instrumentAddress).toBe('0x1')
    expect((await exchange.fetchTickers())[SYMBOL]?.last).toBe(1)
  })

  it('is exact to the last digit where numbers are text', async () => {
    const answers = answering({ 'market/tickers': { symbol: 'BTC/USDC', lastPrice: '88228720843200056658651' } })
    const { exchange } = offline(answers, { number: String })
    expect((await exchange.fetchTicker(SYMBOL)).last).toBe('88228.720843200056658651')
  })

  it('keeps every digit of a number on the wire', async () => {
    const wire = '{"code":0,"data":[{"symbol":"BTC/USDC","openTime":1,"open":88228.72084320005665865,"close":1e-9}]}'
    const { exchange } = offline((asked) => (/kline/.test(asked.target) ? { body: wire } : fromReference(asked)), {
      number: String,
    })
    const [candle] = await exchange.fetchOHLCV(SYMBOL)
    expect(candle?.[1]).toBe('88228.72084320005665865')
  })

  it('asks for the time that as many candles from a moment on take', async () => {
    const { exchange, asked } = offline(fromReference)
    await exchange.fetchOHLCV(SYMBOL, '1h', 1_764_000_000_000, 3)
    const [first] = asked.filter(({ target }) => target.includes('kline'))
    const query = new URL(`http://v${first?.target}`).searchParams
    expect(Object.fromEntries(query)).toEqual({
      symbol: 'BTC/USDC',
      interval: '1h',
      limit: '1000',
      start: '1764000000',
      end: '1764010799',
    })
  })
})

describe('an account', () => {
  it('has the structures of ccxt', async () => {
    const { exchange } = offline(fromReference)
    const balance = await exchange.fetchBalance()
    expectStructures('account', [balance.USDC])
    expectStructures('position', await exchange.fetchPositions())
    expectStructures('order', await exchange.fetchOpenOrders(SYMBOL))
    expectStructures('order', await exchange.fetchClosedOrders())
    expectStructures('order', [await exchange.fetchOrder('4611686018427387904')])
    expectStructures('trade', await exchange.fetchMyTrades(SYMBOL))
  })

  it('has of a market what is of its perpetual, not of a dated pair or of another instrument of the same symbol', async () => {
    const others = [{ expiry: 1_800_000_000 }, { instrumentAddr: '0x2', instrumentAddress: '0x2' }]
    /** Rows of others around the one of the reference. */
    const amongOthers = (path: string) => {
      const rowsOf = (answer: unknown) => (answer as { list?: object[] }).list ?? (answer as object[])
      const [first, last] = others.map((fields) =>
        rowsOf(changed(path, { ...fields, orderId: 'other', id: 'other', txHash: 'other', size: '5' })),
      )
      const rows = [...(first ?? []), ...rowsOf(changed(path, {})), ...(last ?? [])]
      return /list$|history$/.test(path) && path !== 'position/list' ? { list: rows, totalCount: rows.length } : rows
    }
    const lists = ['position/list', 'order/realtime', 'order/history', 'execution/list']
    const { exchange, asked } = offline(answering(Object.fromEntries(lists.map((path) => [path, amongOthers(path)]))))
    expect((await exchange.fetchPosition(SYMBOL)).contracts).toBe(0.01)
    expect((await exchange.fetchPositions()).map(({ contracts }) => contracts)).toEqual([0.01])
    for (const since of [undefined, 1]) {
      const told = [
        await exchange.fetchOpenOrders(undefined, since),
        await exchange.fetchCanceledAndClosedOrders(undefined, since),
        await exchange.fetchMyTrades(undefined, since),
      ]
      expect(told.map((rows) => rows.map(({ amount }) => amount))).toEqual([[0.01], [0.01, 0.01], [0.01]])
    }
    // A page is of perpetuals alone already at the venue.
    const pages = asked.filter(({ target }) => /order.history|execution.list/.test(target))
    expect(pages.filter(({ target }) => !target.includes('expiry=4294967295'))).toEqual([])
  })

  it('has no order of another pair by its id or its transaction', async () => {
    const dated = { expiry: 1_800_000_000 }
    const own = {
      'order/byId': (changed('order/realtime', dated) as object[])[0],
      'order/realtime': changed('order/realtime', { ...dated, lastUpdateTxHash: HASH }),
      'order/history': changed('order/history', { ...dated, placeTxHash: HASH }),
      'execution/list': changed('execution/list', { ...dated, txHash: HASH }),
    }
    const { exchange } = offline(answering(own))
    for (const id of ['4611686018427387904', HASH])
      await expect(exchange.fetchOrder(id)).rejects.toThrow(ccxt.OrderNotFound)
  })

  it('tells free and used money apart', async () => {
    const { exchange } = offline(fromReference, { number: String })
    const { free, used, total } = (await exchange.fetchBalance()).USDC as never
    expect(ccxt.Precise.stringAdd(free, used)).toBe(total)
    expect(free).toBe('1500')
  })

  const STATUSES = [
    ['order/realtime', { status: 'open' }, 'open'],
    ['order/realtime', { status: 'partial_filled', taken: '1' }, 'open'],
    ['order/realtime', { status: 'filled', taken: '10000000000000000' }, undefined],
    ['order/history', { typeString: 'filled' }, 'closed'],
    ['order/history', { typeString: 'partial_filled' }, 'canceled'],
    ['order/history', { typeString: 'cancelled' }, 'canceled'],
  ] as const
  it.each(STATUSES)('of %s has %o as %s', async (path, fields, status) => {
    const own = { [path]: changed(path, fields), 'execution/list': { list: [], totalCount: 0 } }
    const { exchange } = offline(answering(own))
    const orders =
      path === 'order/realtime' ? await exchange.fetchOpenOrders() : await exchange.fetchCanceledAndClosedOrders()
    expect(orders[0]?.status).toBe(status)
  })

  it('knows an order that goes on from one that was cancelled, where the venue calls both partly filled', async () => {
    const [open] = changed('order/realtime', { status: 'partial_filled', taken: '1' }) as { orderId: string }[]
    for (const [listed, status] of [
      [[open], 'open'],
      [[], 'canceled'],
    ]) {
      const { exchange } = offline(answering({ 'order/byId': open, 'order/realtime': listed }))
      expect((await exchange.fetchOrder(String(open?.orderId))).status).toBe(status)
    }
  })

  it('does not take for cancelled what is filled between two answers', async () => {
    const [resting, filled] = ['partial_filled', 'filled'].map(
      (status) => (changed('order/realtime', { status, taken: '1' }) as object[])[0],
    )
    const answers = [resting, filled]
    const { exchange } = offline((asked) =>
      asked.target.includes('order/byId')
        ? { body: { code: 0, msg: '', data: answers.shift() } }
        : answering({ 'order/realtime': [] })(asked),
    )
    expect((await exchange.fetchOrder('4611686018427387904')).status).toBe('closed')
  })
})

describe('orders', () => {
  it('are sent with every digit, once, under their client order id, and answered by what the chain has of them', async () => {
    const { exchange, asked } = offline(
      answering({ 'order/market': confirmed, 'order/realtime': [], 'order/history': { list: [], totalCount: 0 } }),
    )
    const amount = '0.123456789012345678'
    const order = await exchange.createOrder(SYMBOL, 'market', 'buy', amount as never, undefined, {
      clientOrderId: 'mine',
      leverage: '5',
    })
    const [sent] = asked.filter(({ method }) => method === 'POST')
    expect(JSON.parse(sent?.body ?? '')).toEqual({
      instrument: 'BTC/USDC',
      expiry: 4_294_967_295,
      size: amount,
      side: 2,
      leverage: '5',
      slippageBps: 50,
    })
    expect(sent?.headers['Idempotency-Key']).toBe('mine')
    expectStructures('order', [order])
    expect(order).toMatchObject({ id: HASH, clientOrderId: 'mine', status: 'closed', type: 'market' })
  })

  it('rest under the id that lists have', async () => {
    const { exchange, asked } = offline(
      answering({ 'order/limit': confirmed, 'order/realtime': changed('order/realtime', { lastUpdateTxHash: HASH }) }),
    )
    const order = await exchange.createOrder(SYMBOL, 'limit', 'sell', 0.01, 65_000.5, { timeInForce: 'PO' })
    const [sent] = asked.filter(({ method }) => method === 'POST')
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({ size: '0.01', price: '65000.5', side: 1, postOnly: true })
    expect(order.id).toBe((await exchange.fetchOpenOrders(SYMBOL))[0]?.id)
  })

  it('are what rests of them where the venue takes in their block between two of its answers', async () => {
    const hash = { lastUpdateTxHash: HASH }
    const taken = changed('execution/list', { txHash: HASH, typeString: 'market' })
    const none = { list: [], totalCount: 0 }
    let questions = 0
    const { exchange } = offline((asked) => {
      const isIndexed = asked.target.includes('list') || asked.target.includes('realtime') ? questions++ > 0 : true
      return answering({
        'order/limit': confirmed,
        'order/realtime': isIndexed ? changed('order/realtime', hash) : [],
        'execution/list': isIndexed ? taken : none,
        'order/history': none,
      })(asked)
    })
    const order = await exchange.createOrder(SYMBOL, 'limit', 'buy', 10, 65_000)
    expect(order).toMatchObject({ status: 'open', type: 'limit', id: '4611686018427387904' })
  })

  const REFUSED = [
    ['stop', 'buy', 1, 1, {}, ccxt.InvalidOrder],
    ['limit', 'buy', 1, undefined, {}, ccxt.ArgumentsRequired],
    ['limit', 'buy', 1, 1, { timeInForce: 'IOC' }, ccxt.InvalidOrder],
    ['limit', 'buy', 1, 1, { reduceOnly: true }, ccxt.InvalidOrder],
    ['market', 'up', 1, undefined, {}, ccxt.InvalidOrder],
  ] as const
  it.each(REFUSED)('%s %s %s %s %o are refused without a request', async (type, side, amount, price, params, error) => {
    const { exchange, asked } = offline(fromReference)
    await expect(exchange.createOrder(SYMBOL, type as never, side as never, amount, price, params)).rejects.toThrow(
      error,
    )
    expect(asked.filter(({ method }) => method === 'POST')).toEqual([])
  })

  it('are cancelled by the id of the venue, or by the transaction that placed them', async () => {
    const ended = { ...(changed('order/realtime', { status: 'canceled' }) as object[])[0] }
    const own = { 'order/cancel': confirmed, 'order/byId': ended }
    const { exchange, asked } = offline(
      answering({ ...own, 'order/realtime': changed('order/realtime', { lastUpdateTxHash: HASH }) }),
    )
    for (const id of ['4611686018427387904', HASH]) {
      expect((await exchange.cancelOrder(id, SYMBOL)).status).toBe('canceled')
    }
    const bodies = asked.flatMap(({ body }) => (body ? [JSON.parse(body)] : []))
    expect(bodies.map(({ orderId }) => orderId)).toEqual(['4611686018427387904', '4611686018427387904'])
    await expect(exchange.cancelOrder('1')).rejects.toThrow(ccxt.ArgumentsRequired)
  })

  it('of a market are cancelled all at once, without a request where there are none', async () => {
    const none = offline(answering({ 'order/realtime': [] }))
    expect(await none.exchange.cancelAllOrders(SYMBOL)).toEqual([])
    expect(paths(none.asked)).toEqual(['market/instruments', 'order/realtime?symbol=BTC%2FUSDC'])
    const some = offline(
      answering({
        'order/batch-cancel': confirmed,
        'order/history': changed('order/history', { typeString: 'cancelled' }),
      }),
    )
    expect(await some.exchange.cancelAllOrders(SYMBOL)).toMatchObject([{ status: 'canceled' }])
    const post = some.asked.find(({ method }) => method === 'POST')
    expect(JSON.parse(post?.body ?? '')).toMatchObject({ instrument: 'BTC/USDC', all: true })
  })

  it('of a market are told as they have ended, and without a status where nobody knows', async () => {
    const [row] = changed('order/realtime', {}) as object[]
    const [end] = (changed('order/history', {}) as { list: object[] }).list
    // 1 waits to be made a position, 2 is filled before the cancel is mined; of 4 the venue cannot tell yet.
    const open = ['1', '2', '3', '4'].map((orderId) => ({
      ...row,
      orderId,
      status: orderId === '1' ? 'filled' : 'open',
    }))
    const ended = [
      { ...end, id: '1', typeString: 'filled' },
      { ...end, id: '2', typeString: 'filled' },
      { ...end, id: '3', typeString: 'cancelled' },
      { ...end, id: '0', typeString: 'cancelled' },
    ]
    const { exchange } = offline(
      answering({
        'order/batch-cancel': confirmed,
        'order/realtime': open,
        'order/history': { list: ended, totalCount: ended.length },
      }),
    )
    const told = await exchange.cancelAllOrders(SYMBOL)
    expectStructures('order', told.slice(0, 3))
    expect(told.map(({ id, status }) => [id, status])).toEqual([
      ['1', 'closed'],
      ['2', 'closed'],
      ['3', 'canceled'],
      ['4', undefined],
    ])
  })

  it('of which the end is not known in time have no status', async () => {
    const [open] = changed('order/realtime', { status: 'open' }) as object[]
    const { exchange } = offline(answering({ 'order/cancel': confirmed, 'order/byId': open }))
    expect((await exchange.cancelOrder('4611686018427387904', SYMBOL)).status).toBeUndefined()
  })
})
