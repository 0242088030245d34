import ccxt from 'ccxt'
import { describe, expect, it } from 'vitest'
import { type Answers, documented, offline, type Reply } from './exchange.ts'
import { expectStructures } from './structures.ts'

const SYMBOL = 'AAPL/USD'
const ORDER = '0x1f9090aae28b8a3dceadf281b0f12828e676c3268a91ebe6a713944b88df0164'

/** The path of the reference that a request is of. */
const pathOf = (target: string): string =>
  (target.split('?')[0] ?? '')
    .replace(/prices\/\w+/, 'prices/{symbol}')
    .replace(/users\/\w+/, 'users/{userId}')
    .replace(/orders\/0x\w+/, 'orders/{orderId}')

const fromReference: Answers = ({ method, target }) => documented('openapi.json', method, pathOf(target))

const sent = (status: string): Reply => ({
  body: { code: 200, data: { id: '1', status, txHash: ORDER, orderId: ORDER, failure: null } },
})
const sending =
  (...replies: (Reply | Error)[]): Answers =>
  (asked) =>
    /\/send$/.test(asked.target.split('?')[0] ?? '') ? (replies.shift() as Reply) : fromReference(asked)

describe('stocks', () => {
  it('have the structures of ccxt', async () => {
    const { exchange } = offline(fromReference, {}, 'stock')
    expectStructures('market', Object.values(await exchange.loadMarkets()))
    expectStructures('ticker', [await exchange.fetchTicker(SYMBOL)])
    expectStructures('ticker', Object.values(await exchange.fetchTickers()))
    expectStructures('order', [await exchange.fetchOrder(ORDER)])
    expectStructures('order', await exchange.fetchOrders(SYMBOL))
    expectStructures('trade', await exchange.fetchMyTrades(SYMBOL))
    expect((await exchange.fetchOHLCV(SYMBOL))[0]).toHaveLength(6)
    const balance = await exchange.fetchBalance()
    expect(balance.USD).toMatchObject({ free: 1497.25, total: undefined })
    expect(balance.AAPL).toEqual({ free: 5.5, used: 0, total: 5.5 })
  })

  it('of which a status is not open are in no list of open orders', async () => {
    const { exchange, asked } = offline(fromReference, {}, 'stock')
    await exchange.fetchOpenOrders(SYMBOL)
    const statuses = asked.flatMap(({ target }) => new URL(`http://v${target}`).searchParams.get('status') ?? [])
    expect(statuses).toEqual(['Pending', 'New', 'Partial filled'])
  })
})

describe('orders of stocks', () => {
  const SIZES = [
    ['market', 'buy', '2', '180.50', {}, { notional: '361' }],
    ['market', 'buy', undefined, undefined, { cost: '100.123456789' }, { notional: '100.123456789' }],
    ['market', 'sell', '0.5', undefined, {}, { quantity: '0.5' }],
    ['limit', 'buy', '1.000000001', '180.55', {}, { quantity: '1.000000001', price: '180.55', timeInForce: 'DAY' }],
  ] as const
  it.each(SIZES)('%s %s of %s at %s %o are sent as %o', async (type, side, amount, price, params, fields) => {
    const { exchange, asked } = offline(sending(sent('Confirmed')), {}, 'stock')
    const order = await exchange.createOrder(SYMBOL, type, side, amount as never, price as never, params)
    expectStructures('order', [order])
    const [post] = asked.filter(({ method }) => method === 'POST')
    const { deadline, clientOrderId, stockAddress, ...rest } = JSON.parse(post?.body ?? '')
    expect(rest).toEqual({
      side: side === 'buy' ? 'Buy' : 'Sell',
      type: type === 'market' ? 'Market' : 'Limit',
      ...fields,
    })
    expect(post?.headers['Idempotency-Key']).toBe(clientOrderId)
    expect(deadline).toBeGreaterThan(Date.now() / 1000)
  })

  it('are repeated with the same deadline while nobody knows of them', async () => {
    const { exchange, asked } = offline(sending(new TypeError('fetch failed'), sent('Confirmed')), {}, 'stock')
    const buy = (params: object) => exchange.createOrder(SYMBOL, 'market', 'buy', 1, 180, params)
    const error = await buy({}).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(ccxt.RequestTimeout)
    exchange.options.deadlineSeconds = 10
    await buy({ clientOrderId: error.clientOrderId })
    const bodies = asked.flatMap(({ method, body }) => (method === 'POST' ? [body] : []))
    expect(bodies).toEqual([bodies[0], bodies[0]])
  })

  const REFUSED = [
    ['market', 'buy', 1, undefined, {}, ccxt.InvalidOrder],
    ['limit', 'sell', 1, undefined, {}, ccxt.ArgumentsRequired],
    ['limit', 'sell', 1, 1, { timeInForce: 'GTC' }, ccxt.InvalidOrder],
  ] as const
  it.each(REFUSED)('%s %s %s %s %o are refused without a request', async (type, side, amount, price, params, error) => {
    const { exchange, asked } = offline(fromReference, {}, 'stock')
    await expect(exchange.createOrder(SYMBOL, type, side, amount, price, params)).rejects.toThrow(error)
    expect(asked.filter(({ method }) => method === 'POST')).toEqual([])
  })

  it('are cancelled by a request under a key', async () => {
    const { exchange, asked } = offline(sending(sent('Confirmed')), {}, 'stock')
    expect((await exchange.cancelOrder(ORDER)).id).toBe(ORDER)
    const [cancel] = asked.filter(({ method }) => method === 'DELETE')
    expect([cancel?.target, cancel?.body]).toEqual([`/api/v1/orders/${ORDER}/send`, undefined])
    expect((cancel?.headers['Idempotency-Key'] ?? '').length).toBeGreaterThan(30)
  })
})
