import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { afterEach, describe, expect, it } from 'vitest'
import { AppError } from '../lib/errors.ts'
import type { Caller, WalletCaller } from './caller.ts'
import { PreparedJson } from './prepared-json.ts'
import { AtBlock, defineRoute, type Envelope, type KeyRateLimit, type Route } from './product.ts'
import { httpReasons } from './reasons.ts'
import type { Scheme } from './scheme.ts'
import { testMount, testServer } from './testing.ts'

const WALLET = `0x${'a1'.repeat(20)}` as const
const unauthenticated = { ...httpReasons.path_unknown, name: 'nobody', kind: 'unauthenticated' as const }

/** A key is whatever is in `x-key`, a wallet's signature the word `signed` in the body. */
const scheme: Scheme = {
  async authenticate({ headers }) {
    const keyId = headers['x-key']
    if (typeof keyId !== 'string') throw new AppError(unauthenticated, 'no')
    return { keyId, access: 'WRITABLE', userAddress: null }
  },
  async authenticateWallet(_request, body) {
    if ((body as { signature: string }).signature !== 'signed') throw new AppError(unauthenticated, 'no')
    return { wallet: WALLET }
  },
}

const envelope: Envelope = {
  success: (_requestId, _nowMs, block) => [
    '{"data":',
    `${block ? `,"blockInfo":{"height":${block.height},"timestamp":${block.timestampSec}}` : ''}}`,
  ],
  failure: ({ reason, message }) => {
    const httpStatus = { unauthenticated: 401, not_found: 404, rate_limited: 429 }[reason.kind as 'not_found'] ?? 400
    return { httpStatus, body: JSON.stringify({ message }) }
  },
}

const met: (Caller | WalletCaller | null)[] = []
const routes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/open',
    summary: 'the owned path itself',
    access: 'PUBLIC',
    schema: { data: Type.Any() },
    async handler({ caller }) {
      met.push(caller)
      return new AtBlock({ height: 7n, timestampSec: 1_700_000_000n }, new PreparedJson({ a: 1 }))
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v4/market/book',
    summary: 'for all',
    access: 'PUBLIC',
    schema: { query: Type.Object({ depth: Type.Optional(Type.Integer()) }), data: Type.Any() },
    async handler({ caller, query }) {
      met.push(caller)
      return query
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v4/trader/key',
    summary: 'by a wallet',
    access: 'WALLET',
    schema: { body: Type.Object({ signature: Type.String() }), data: Type.Any() },
    async handler({ caller }) {
      met.push(caller)
      return caller.wallet
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v4/trader/orders',
    summary: 'by a key',
    access: 'READ_ONLY',
    schema: { data: Type.Any() },
    async handler({ caller }) {
      met.push(caller)
      return caller.keyId
    },
  }),
]

const owns = [
  { path: '/v4/trader', unknown: 'key' },
  { path: '/v4/market', unknown: 'public' },
  { path: '/open', unknown: 'public' },
] as const

let app: FastifyInstance | undefined
afterEach(async () => {
  met.length = 0
  await app?.close()
  app = undefined
})

async function serve(keyRateLimit?: KeyRateLimit): Promise<FastifyInstance> {
  const over = { prefix: '', owns, scheme, envelope, ...(keyRateLimit ? { keyRateLimit } : {}) }
  app = await testServer([], { mounts: [testMount(routes, over)] })
  return app
}

const JSON_TYPE = { 'content-type': 'application/json' }

describe('an operation', () => {
  it('of public access needs no key, and names the block of its data', async () => {
    await serve()
    const answer = await app?.inject({ url: '/open' })
    expect(answer?.payload).toBe('{"data":{"a":1},"blockInfo":{"height":7,"timestamp":1700000000}}')
    expect((await app?.inject({ url: '/v4/market/book?depth=5' }))?.payload).toBe('{"data":{"depth":5}}')
    expect(met).toEqual([null, null])
  })

  it('of public access is limited by address and judged as every other', async () => {
    await serve()
    const answer = await app?.inject({ url: '/v4/market/book?depth=x' })
    expect(answer?.statusCode).toBe(400)
    expect(answer?.headers['ratelimit-limit']).toBe('10000')
    expect((await app?.inject({ url: '/v4/market/book?width=1' }))?.statusCode).toBe(400)
    expect(met).toEqual([])
  })

  it('of wallet access meets the wallet that signed its body, and no other', async () => {
    await serve()
    const post = (body: object) =>
      app?.inject({ method: 'POST', url: '/v4/trader/key', headers: JSON_TYPE, payload: JSON.stringify(body) })
    expect((await post({ signature: 'signed' }))?.json()).toEqual({ data: WALLET })
    expect((await post({ signature: 'forged' }))?.statusCode).toBe(401)
    expect((await post({ signature: 'signed', more: 1 }))?.statusCode).toBe(400)
    expect((await post({}))?.statusCode).toBe(400)
    expect(met).toEqual([{ wallet: WALLET, clientIp: '127.0.0.1', isBrowser: false }])
  })

  it('of key access is refused without one, before anything else is judged', async () => {
    await serve()
    expect((await app?.inject({ url: '/v4/trader/orders?unknown=1' }))?.statusCode).toBe(401)
    expect((await app?.inject({ url: '/v4/trader/orders', headers: { 'x-key': 'k' } }))?.json()).toEqual({ data: 'k' })
  })

  it.each([
    ['/v4/trader/nothing', 401],
    ['/v4/trader', 401],
    ['/v4/market/nothing', 404],
    ['/v4/market', 404],
    ['/open/more', 404],
    ['/openness', 404],
    ['/v4/other', 404],
  ])('%s is none: HTTP %i to a stranger', async (url, status) => {
    await serve()
    expect((await app?.inject({ url }))?.statusCode).toBe(status)
  })

  it('must lie under a path of its product', async () => {
    const mounts = [testMount(routes, { prefix: '', owns: owns.slice(0, 2), scheme, envelope })]
    await expect(testServer([], { mounts })).rejects.toThrow('/open lies outside of /v4/trader, /v4/market')
  })
})

describe('the limit of an API key', () => {
  const LIMIT = { limit: 2, windowMs: 60_000, headers: 'x-key-limit' }
  const get = (key: string, remoteAddress = '127.0.0.1') =>
    app?.inject({ url: '/v4/trader/orders', headers: { 'x-key': key }, remoteAddress })

  it('counts each key, wherever it sends from, and says so in headers of its own', async () => {
    await serve(LIMIT)
    const first = await get('a')
    expect(first?.headers).toMatchObject({
      'x-key-limit-limit': '2',
      'x-key-limit-remaining': '1',
      'x-key-limit-reset': '60',
      'ratelimit-limit': '10000',
      'ratelimit-remaining': '9999',
    })
    expect((await get('a', '127.0.0.2'))?.headers['x-key-limit-remaining']).toBe('0')
    const refused = await get('a', '127.0.0.3')
    expect([refused?.statusCode, refused?.headers['retry-after']]).toEqual([429, '60'])
    expect(refused?.json().message).toContain('this API key may send 2 in a window')
    expect((await get('b'))?.statusCode).toBe(200)
    expect(met).toHaveLength(3)
  })

  it('is used up by nobody but the key: strangers and public operations do not count', async () => {
    await serve(LIMIT)
    for (let i = 0; i < 5; i++) await app?.inject({ url: '/v4/trader/orders' })
    for (let i = 0; i < 5; i++) await app?.inject({ url: '/v4/market/book', headers: { 'x-key': 'a' } })
    const answer = await get('a')
    expect([answer?.statusCode, answer?.headers['x-key-limit-remaining']]).toEqual([200, '1'])
  })

  it('counts requests for paths that are none', async () => {
    await serve(LIMIT)
    const nothing = () => app?.inject({ url: '/v4/trader/nothing', headers: { 'x-key': 'a' } })
    expect([(await nothing())?.statusCode, (await nothing())?.statusCode]).toEqual([404, 404])
    expect((await get('a'))?.statusCode).toBe(429)
  })

  it('may stand where the address has its headers', async () => {
    await serve({ ...LIMIT, headers: 'ratelimit' })
    expect((await get('a'))?.headers['ratelimit-limit']).toBe('2')
    expect((await app?.inject({ url: '/open' }))?.headers['ratelimit-limit']).toBe('10000')
  })
})
