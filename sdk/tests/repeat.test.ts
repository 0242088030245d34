import { describe, expect, it } from 'vitest'
import {
  ConnectionFailed,
  cancelOrders,
  createClient,
  getOrders,
  getPrice,
  hasReason,
  InvalidRequest,
  placeOrder,
  previewOrder,
  RateLimited,
  Refused,
  SendUnconfirmed,
  Unauthenticated,
  Unavailable,
  UnknownOutcome,
} from '../src/stock/index.ts'
import { type Fate, fakeClock, type Got, hostile, stockAnswer, stockRefusal } from './hostile.ts'

const NOW = 1_700_000_000_000
const order = { stockAddress: '0x01', side: 'Buy', type: 'Market', notional: '10', deadline: 4_000_000_000 } as const
const lost = (): Fate => 'lost'
const refused =
  (status: number, code: number, reason?: string, more = {}) =>
  (): Fate =>
    stockRefusal({ status, code, ...(reason ? { reason } : {}), ...more })
const done = (): Fate => stockAnswer({ id: '1' })

function venue(...fates: ((got: Got) => Fate)[]) {
  const { transport, got } = hostile(...fates)
  const { clock, slept } = fakeClock(NOW)
  const signer = { apiKey: 'k', secret: 's' }
  const client = createClient({ baseUrl: 'http://x/stock', chainId: 1, productType: 'B', signer, transport, clock })
  return { client, got, slept }
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => new Error('it succeeded'),
    (error) => error,
  )
const keyOf = (got: Got | undefined) => got?.headers['idempotency-key']

describe('a send', () => {
  it('whose answer is lost is made again under the same key, signed anew', async () => {
    const { client, got } = venue(lost, lost, done)
    expect(await placeOrder(client, order)).toEqual({ id: '1' })
    expect(new Set(got.map(keyOf)).size).toBe(1)
    expect(keyOf(got[0])).toMatch(/^[0-9a-f-]{36}$/)
    expect(new Set(got.map(({ headers }) => headers['x-api-nonce'])).size).toBe(3)
    expect(new Set(got.map(({ body }) => body)).size).toBe(1)
  })

  it('that is never answered has an unknown outcome, and its key to ask again', async () => {
    const { client, got } = venue(lost)
    const error = (await failureOf(placeOrder(client, order, { idempotencyKey: 'mine' }))) as UnknownOutcome
    expect(error).toBeInstanceOf(UnknownOutcome)
    expect(error).not.toBeInstanceOf(SendUnconfirmed)
    expect([error.idempotencyKey, error.canRepeat, error.operation]).toEqual(['mine', true, 'POST /api/v1/orders/send'])
    expect(got.map(keyOf)).toEqual(['mine', 'mine', 'mine', 'mine'])
  })

  it('that the venue cannot confirm is told from one that it cannot take', async () => {
    const unsure = venue(refused(500, 500, 'internal_error'))
    expect(await failureOf(placeOrder(unsure.client, order))).toBeInstanceOf(SendUnconfirmed)
    const busy = venue(refused(503, 500, 'sends_overloaded'))
    const error = await failureOf(placeOrder(busy.client, order))
    expect(error).toBeInstanceOf(Unavailable)
    expect(error).not.toBeInstanceOf(UnknownOutcome)
    expect([unsure.got.length, busy.got.length]).toEqual([4, 4])
  })

  it('stays unknown when it is refused after an answer was lost: the first one may still be under way', async () => {
    const { client } = venue(lost, refused(400, 10002, 'would_revert'))
    const error = (await failureOf(placeOrder(client, order))) as UnknownOutcome
    expect(error).toBeInstanceOf(UnknownOutcome)
    expect(hasReason(error.cause, 'would_revert')).toBe(true)
  })

  it('is refused for good when the venue had answered every attempt', async () => {
    const { client } = venue(refused(500, 500, 'internal_error'), refused(400, 10002, 'would_revert'))
    expect(await failureOf(placeOrder(client, order))).toBeInstanceOf(Refused)
  })

  it.each([
    ['turned away before its key was looked up', refused(503, 500, 'sends_overloaded')],
    ['let in no more', refused(400, 401)],
    ['of too many requests', refused(429, 429, 'rate_limited', { headers: { 'retry-after': '3600' } })],
  ])('stays unknown when the venue did not know, and then it was %s', async (_, later) => {
    const { client } = venue(refused(500, 500, 'internal_error'), later)
    const error = (await failureOf(placeOrder(client, order, { idempotencyKey: 'mine' }))) as SendUnconfirmed
    expect(error).toBeInstanceOf(SendUnconfirmed)
    expect(error.idempotencyKey).toBe('mine')
  })

  it('that is given up after the venue did not know has an unknown outcome', async () => {
    const { client } = venue(refused(500, 500, 'internal_error'), () => 'hangs')
    const controller = new AbortController()
    const work = failureOf(placeOrder(client, order, { signal: controller.signal }))
    setTimeout(() => controller.abort(), 5)
    expect(await work).toBeInstanceOf(UnknownOutcome)
  })

  it('that a proxy answers for the venue counts as lost', async () => {
    const { client, got } = venue(() => new Response('<html>bad gateway</html>', { status: 502 }), done)
    expect(await placeOrder(client, order)).toEqual({ id: '1' })
    expect(got).toHaveLength(2)
  })

  it('that is given up has an unknown outcome', async () => {
    const { client } = venue(() => 'hangs')
    const controller = new AbortController()
    const work = failureOf(placeOrder(client, order, { signal: controller.signal }))
    setTimeout(() => controller.abort(), 5)
    expect(await work).toBeInstanceOf(UnknownOutcome)
  })

  it('that was given up before it began is no send', async () => {
    const { client, got } = venue(done)
    const error = await failureOf(placeOrder(client, order, { signal: AbortSignal.abort() }))
    expect(error).not.toBeInstanceOf(UnknownOutcome)
    expect(got).toHaveLength(0)
  })
})

describe('a write without a key', () => {
  it('is made once, and unknown when its answer is lost', async () => {
    const { client, got } = venue(lost, done)
    const error = (await failureOf(cancelOrders(client))) as UnknownOutcome
    expect(error).toBeInstanceOf(UnknownOutcome)
    expect([error.idempotencyKey, error.canRepeat, got.length]).toEqual([null, false, 1])
  })

  it('is made again after 429, when it was not looked at', async () => {
    const { client, got, slept } = venue(refused(429, 429, 'rate_limited', { headers: { 'retry-after': '7' } }), done)
    await cancelOrders(client)
    expect([got.length, slept]).toEqual([2, [7000]])
  })
})

describe('a read', () => {
  it('is made again, less and less often, and fails as what it is', async () => {
    const { client, got, slept } = venue(lost)
    expect(await failureOf(getOrders(client))).toBeInstanceOf(ConnectionFailed)
    expect(got).toHaveLength(4)
    expect(slept).toHaveLength(3)
    for (const [nth, ms] of slept.entries()) {
      expect(ms).toBeGreaterThanOrEqual(125 * 2 ** nth)
      expect(ms).toBeLessThanOrEqual(250 * 2 ** nth)
    }
  })

  it('by POST, such as a preview, is one too', async () => {
    const { client, got } = venue(lost, done)
    await previewOrder(client, { ...order, userAddress: '0x02' })
    expect(got).toHaveLength(2)
    expect(keyOf(got[0])).toBeUndefined()
  })

  it('fails at once by what is wrong with it', async () => {
    const { client, got } = venue(refused(400, 10000, 'request_invalid'))
    const error = (await failureOf(getOrders(client, { limit: 0 }))) as InvalidRequest
    expect(error).toBeInstanceOf(InvalidRequest)
    expect([error.reason, error.code, error.status, error.retryable]).toEqual(['request_invalid', 10000, 400, false])
    expect(got).toHaveLength(1)
  })

  it('waits as long as 429 says, but no longer than is allowed', async () => {
    const limited = refused(429, 429, 'rate_limited', { headers: { 'retry-after': '9' } })
    const { client, got, slept } = venue(limited, done)
    const waits: number[] = []
    await getOrders(client.with({ onLimited: (waitMs) => waits.push(waitMs) }))
    expect([slept, waits]).toEqual([[9000], [9000]])
    const impatient = client.with({ maxWaitMs: 100 })
    const other = hostile(limited)
    const error = (await failureOf(getOrders(impatient.with({ transport: other.transport })))) as RateLimited
    expect(error).toBeInstanceOf(RateLimited)
    expect([error.retryAfterMs, got.length, other.got.length]).toEqual([9000, 2, 1])
  })
})

describe('a clock that is off', () => {
  const skewed =
    (ms: number) =>
    (got: Got): Fate =>
      Math.abs(Number(got.headers['x-api-ts']) - (NOW + ms)) < 45_000
        ? stockAnswer({ id: '1' }, NOW + ms)
        : stockRefusal({ status: 400, code: 401, t: NOW + ms })

  it.each([60_000, -60_000, 86_400_000])('by %i ms is corrected once, for all clients of the venue', async (ms) => {
    const { client, got, slept } = venue(skewed(ms))
    await placeOrder(client, order)
    expect([got.length, slept.length]).toEqual([2, 0])
    await getOrders(client.with({ signer: { apiKey: 'other', secret: 's' } }))
    expect(got).toHaveLength(3)
    expect(Math.abs(client.now() - (NOW + ms))).toBeLessThan(1000)
  })

  it('is not corrected when the key is wrong', async () => {
    const { client, got } = venue(() => stockRefusal({ status: 400, code: 401, t: NOW }))
    expect(await failureOf(getOrders(client))).toBeInstanceOf(Unauthenticated)
    expect([got.length, client.state.offsetMs]).toEqual([2, 0])
  })

  it('is corrected once a request at most', async () => {
    let nth = 0
    const { client, got } = venue(() => {
      nth += 1
      return stockRefusal({ status: 400, code: 401, t: NOW + nth * 100_000 })
    })
    expect(await failureOf(getOrders(client))).toBeInstanceOf(Unauthenticated)
    expect(got).toHaveLength(2)
  })

  it('does not make a lost send less unknown', async () => {
    const { client } = venue(lost, () => stockRefusal({ status: 400, code: 401, t: NOW }))
    expect(await failureOf(placeOrder(client, order))).toBeInstanceOf(UnknownOutcome)
  })
})

describe('a nonce that a browser has spent, by sending the same bytes twice over a broken connection', () => {
  const spent = refused(400, 401, undefined, { t: NOW })

  it('is not the end of a read or a send: they are signed anew, once, a send under the same key', async () => {
    const { client, got } = venue(spent, done)
    expect(await placeOrder(client, order)).toEqual({ id: '1' })
    expect(new Set(got.map(keyOf)).size).toBe(1)
    expect(new Set(got.map(({ headers }) => headers['x-api-nonce'])).size).toBe(2)
    const reader = venue(spent, done)
    await getOrders(reader.client)
    expect(reader.got).toHaveLength(2)
  })

  it('leaves a send unknown whose repetition is refused: the bytes that spent it may still be under way', async () => {
    const { client } = venue(spent, refused(400, 10002, 'would_revert'))
    const error = (await failureOf(placeOrder(client, order))) as UnknownOutcome
    expect(error).toBeInstanceOf(UnknownOutcome)
    expect(hasReason(error.cause, 'would_revert')).toBe(true)
  })

  it('is not what keeps a wrong key out, of which the second answer is the same', async () => {
    const { client, got } = venue(spent)
    expect(await failureOf(placeOrder(client, order))).toBeInstanceOf(Unauthenticated)
    expect(got).toHaveLength(2)
  })

  it('leaves a write without a key unknown, which is made once: a read tells that the key is not what was refused', async () => {
    const { client, got } = venue(spent, done)
    const error = (await failureOf(cancelOrders(client))) as UnknownOutcome
    expect(error).toBeInstanceOf(UnknownOutcome)
    expect(error.cause).toBeInstanceOf(Unauthenticated)
    expect(got.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'DELETE http://x/stock/api/v1/orders/send',
      'GET http://x/stock/api/v1/clock',
    ])
    expect(got[1]?.headers['x-api-key']).toBe('k')
  })

  it('is not thought of where the read is refused too: nothing was done by a key that is no key', async () => {
    const { client, got } = venue(spent)
    expect(await failureOf(cancelOrders(client))).toBeInstanceOf(Unauthenticated)
    // A read is signed anew once.
    expect(got.map(({ method }) => method)).toEqual(['DELETE', 'GET', 'GET'])
  })

  it('leaves a write without a key unknown where the read has no answer', async () => {
    const { client } = venue(spent, lost)
    expect(await failureOf(cancelOrders(client))).toBeInstanceOf(UnknownOutcome)
  })
})

describe('amounts', () => {
  it('come as the exact text that was sent', async () => {
    const data =
      '{"price":"0.1","bid":179.10000000000000001,"ask":12345678901234567890.12,"open":-0.5,"bidSize":3,"x":"\\"ask\\":1"}'
    const { client } = venue(() => new Response(`{"code":200,"errMsg":"","data":${data},"uuid":"u","t":1}`))
    expect(await getPrice(client, { symbol: 'AAPL' })).toEqual({
      price: '0.1',
      bid: '179.10000000000000001',
      ask: '12345678901234567890.12',
      open: '-0.5',
      bidSize: 3,
      x: '"ask":1',
    })
  })
})

describe('a request', () => {
  it('has its parameters in path, sorted query and body, encoded once', async () => {
    const { client, got } = venue(done)
    await getOrders(client, { symbol: 'A B', limit: 5, clientOrderId: 'ä/1' })
    await getPrice(client, { symbol: 'BRK/B' })
    expect(got[0]?.url).toBe('http://x/stock/api/v1/orders?clientOrderId=%C3%A4%2F1&limit=5&symbol=A%20B')
    expect(got[1]?.url).toBe('http://x/stock/api/v1/prices/BRK%2FB')
  })

  it('that is signed needs a signer, and one that lacks a part of its path is not sent', async () => {
    const { client, got } = venue(done)
    const { signer: _signer, ...rest } = client.options
    const nobody = createClient({ ...rest, productType: 'B' })
    expect(String(await failureOf(getOrders(nobody)))).toContain('needs a signer')
    expect(String(await failureOf(getPrice(client, { symbol: '' })))).toContain('needs symbol')
    expect(got).toHaveLength(0)
  })
})
