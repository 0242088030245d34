import { describe, expect, it } from 'vitest'
import perpVectors from '../../sdk/vectors/perp-signing.json' with { type: 'json' }
import { signature as perpSignature } from '../src/perp/product.ts'
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
