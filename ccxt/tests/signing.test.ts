import { describe, expect, it } from 'vitest'
import perpVectors from '../../sdk/vectors/perp-signing.json' with { type: 'json' }
import stockVectors from '../../sdk/vectors/stock-signing.json' with { type: 'json' }
import { signature as perpSignature } from '../src/perp/product.ts'
import { signature as stockSignature } from '../src/stock/product.ts'
import { offline } from './exchange.ts'

describe('signatures of the perpetual API', () => {
  it.each(perpVectors.vectors)('$name', ({ secret, timestamp, method, uri, body, signature }) => {
    expect(perpSignature(secret, { timestamp, method, target: uri, body })).toBe(signature)
  })

  it('are over what is sent, sorted and encoded, each at a later time than the one before', async () => {
    const { exchange, asked } = offline(() => ({ body: { code: 0, data: [] } }))
    const params = { symbol: 'BTC/USDC', interval: '1h' }
    for (const _ of [1, 2, 3]) await exchange.request('order/realtime', 'private', 'GET', params)
    const times = asked.map(({ headers }) => Number(headers['X-Api-Ts']))
    expect(new Set(times).size).toBe(3)
    for (const { target, headers, method } of asked) {
      expect(target).toBe('/v4/public/trader/order/realtime?interval=1h&symbol=BTC%2FUSDC')
      const request = { timestamp: String(headers['X-Api-Ts']), method, target, body: '' }
      expect(headers['X-Api-Sign']).toBe(perpSignature('test-secret', request))
      expect([headers['X-Api-Key'], headers['X-Chain-Id']]).toEqual(['key', '31337'])
    }
  })

  it('are not made for what is public', async () => {
    const { exchange, asked } = offline(() => ({ body: { code: 0, data: 1 } }))
    await exchange.fetchTime()
    expect(Object.keys(asked[0]?.headers ?? {}).filter((name) => /^x-/i.test(name))).toEqual([])
  })
})

describe('signatures of the stock API', () => {
  it.each(stockVectors.vectors)('$name', ({ secret, nonce, timestamp, method, signedUri, body, signature }) => {
    expect(stockSignature(secret, nonce, { timestamp, method, target: signedUri, body })).toBe(signature)
  })

  it('are over the path below the prefix, sorted, with a nonce of its own each', async () => {
    const { exchange, asked } = offline(() => ({ body: { code: 200, data: [] } }), {}, 'stock')
    for (const _ of [1, 2]) await exchange.request('orders', 'private', 'GET', { status: 'Partial filled', limit: 5 })
    expect(new Set(asked.map(({ headers }) => headers['x-api-nonce'])).size).toBe(2)
    for (const { target, headers, method } of asked) {
      expect(target).toBe('/api/v1/orders?limit=5&status=Partial%20filled')
      const request = { timestamp: String(headers['x-api-ts']), method, target, body: '' }
      expect(headers['x-api-sign']).toBe(stockSignature('test-secret', String(headers['x-api-nonce']), request))
    }
  })
})
