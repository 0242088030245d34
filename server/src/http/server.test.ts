import { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { Gauge, Registry } from 'prom-client'
import { afterEach, describe, expect, it } from 'vitest'
import { AppError } from '../lib/errors.ts'
import { PreparedJson } from './prepared-json.ts'
import type { Route, RouteRequest } from './product.ts'
import { memoryRateLimiter } from './rate-limit.ts'
import { httpReasons } from './reasons.ts'
import { listen } from './server.ts'
import { type SeenRequest, sampleRoutes, testServer, testVenue, WITH_KEY } from './testing.ts'

const handled: RouteRequest[] = []
const routes = sampleRoutes(handled)
let app: FastifyInstance | undefined

afterEach(async () => {
  handled.length = 0
  await app?.close()
  app = undefined
})

describe('a request', () => {
  it('reaches its handler as it was sent, and is answered in the envelope', async () => {
    const seen: SeenRequest[] = []
    app = await testServer(routes, { seen })
    const body = '{"side":"Buy", "amount":0.10,"deadline":1893456000}'
    const headers = { 'content-type': 'application/json; charset=UTF-8', ...WITH_KEY }
    const answer = await app.inject({ method: 'POST', url: '/svc/api/v1/items', headers, payload: body })
    expect(answer.statusCode).toBe(200)
    const id = answer.headers['x-request-id']
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.body).toBe(
      `{"ok":true,"data":{"params":{},"query":{},"body":{"side":"Buy","amount":"0.10","deadline":1893456000}},"id":"${id}","at":1700000000000}`,
    )
    expect(handled).toHaveLength(1)
    expect(seen).toMatchObject([{ method: 'POST', uri: '/api/v1/items', clientIp: '127.0.0.1', access: 'WRITABLE' }])
    expect(seen[0]?.rawBody.toString()).toBe(body)
  })

  it.each([
    ['/svc/api/v1/items?page=1&symbol=7', '/api/v1/items?page=1&symbol=7', { page: 1, symbol: '7' }],
    ['/svc/api/v1/items?&', '/api/v1/items?&', {}],
    ['/svc/api/v1/items?symbol=%C3%BC+x', '/api/v1/items?symbol=%C3%BC+x', { symbol: 'ü x' }],
  ])('%s is verified over its raw target', async (url, uri, query) => {
    const seen: SeenRequest[] = []
    app = await testServer(routes, { seen })
    const answer = await app.inject({ url, headers: WITH_KEY })
    expect(answer.json().data.query).toEqual(query)
    expect(answer.headers['content-length']).toBe(String(answer.rawPayload.length))
    expect(seen[0]?.uri).toBe(uri)
  })

  it('decodes path parameters once', async () => {
    app = await testServer(routes)
    const answer = await app.inject({ url: '/svc/api/v1/items/a%20b', headers: WITH_KEY })
    expect(answer.json().data.params).toEqual({ id: 'a b' })
  })

  it('prints exact numbers and drops no field', async () => {
    app = await testServer(routes)
    const exact = await app.inject({ url: '/svc/api/v1/exact', headers: WITH_KEY })
    expect(exact.body).toContain('"data":{"amount":12345.678901234567890123,"undeclared":true}')
    const prepared = await app.inject({ url: '/svc/api/v1/prepared', headers: WITH_KEY })
    expect(prepared.json().data).toEqual([{ a: 1 }])
  })

  it.each([1, 100_000])('is answered whole with a prepared payload of %d characters and more', async (length) => {
    const texts = ['x'.repeat(length), 'ü€'.repeat(length)]
    const prepared = new PreparedJson(texts)
    const route = routes.find(({ path }) => path === '/api/v1/prepared') as Route
    app = await testServer([{ ...route, handler: async () => prepared }])
    const url = `${await listen(app, { host: '127.0.0.1', port: 0 })}/svc/api/v1/prepared`
    // Twice over one connection: what follows an answer shows whether its length was right.
    for (let nth = 0; nth < 2; nth++) {
      const answer = await fetch(url, { headers: WITH_KEY })
      const body = Buffer.from(await answer.arrayBuffer())
      expect(answer.headers.get('content-length')).toBe(String(body.length))
      const id = answer.headers.get('x-request-id')
      expect(JSON.parse(body.toString())).toEqual({ ok: true, data: texts, id, at: 1_700_000_000_000 })
    }
  })
})

describe('authentication', () => {
  it('comes before everything a stranger could learn from', async () => {
    app = await testServer(routes)
    const strangers = [
      { url: '/svc/api/v1/items' },
      { url: '/svc/api/v1/items?page=x&page=y' },
      { url: '/svc/api/v1/items/%' },
      { url: '/svc/api/v1/items/%ff?a=%' },
      { url: '/svc/api/v1/unknown' },
      { url: '/svc/api/v1/' },
      { url: '/svc/api/v1' },
      { url: `/svc/api/v1/items/${'x'.repeat(5000)}` },
      { method: 'PUT', url: '/svc/api/v1/items' },
      { method: 'HEAD', url: '/svc/api/v1/items' },
      { method: 'OPTIONS', url: '/svc/api/v1/items' },
      { method: 'POST', url: '/svc/api/v1/items', payload: 'not json', headers: { 'content-type': 'nonsense' } },
      { method: 'POST', url: '/svc/api/v1/unknown', payload: '{', headers: { 'content-type': 'application/json' } },
      { method: 'GET', url: '/svc/api/v1/fail/unknown' },
    ] as const
    for (const request of strangers) {
      const answer = await app.inject(request as { url: string })
      expect([request, answer.statusCode]).toEqual([request, 400])
      if ((request as { method?: string }).method !== 'HEAD') {
        expect(answer.json()).toEqual({ ok: false, message: 'no', id: answer.headers['x-request-id'] })
      }
      expect(answer.headers).not.toHaveProperty('x-error-reason')
    }
  })

  it('asks for write access on every method but GET, on unknown paths too', async () => {
    const seen: SeenRequest[] = []
    app = await testServer(routes, { seen })
    await app.inject({ url: '/svc/api/v1/none', headers: WITH_KEY })
    await app.inject({ method: 'PATCH', url: '/svc/api/v1/none', headers: WITH_KEY, payload: 'x' })
    expect(seen.map(({ access, uri }) => [access, uri])).toEqual([
      ['READ_ONLY', '/api/v1/none'],
      ['WRITABLE', '/api/v1/none'],
    ])
    expect(seen[1]?.rawBody.toString()).toBe('x')
  })

  it('is followed by a clear answer on an unknown path', async () => {
    app = await testServer(routes)
    for (const url of ['/svc/api/v1/none', '/svc/api/v1/%zz', '/svc/api/v1']) {
      const answer = await app.inject({ url, headers: WITH_KEY })
      expect(answer.json()).toMatchObject({ ok: false, message: 'no operation has this method and path' })
      expect(answer.headers['x-error-reason']).toBe('path_unknown')
    }
  })

  it('sees a target whose prefix is spelled otherwise as it is', async () => {
    const seen: SeenRequest[] = []
    app = await testServer(routes, { seen })
    await app.inject({ url: '/%73vc/api/v1/items' })
    expect(seen[0]?.uri).toBe('/%73vc/api/v1/items')
  })
})

describe('an operation that is busy', () => {
  it('refuses before it asks who it is, and works again when it is not', async () => {
    const seen: SeenRequest[] = []
    let refusal: AppError | null = new AppError(httpReasons.rate_limited, 'not now', { retryAfterSec: 3 })
    const busy = () => refusal
    app = await testServer(
      routes.map((route) => (route.method === 'POST' ? { ...route, busy } : route)),
      { seen },
    )
    const post = { method: 'POST', url: '/svc/api/v1/items', payload: '{"side":"Buy","amount":1}' } as const
    const headers = { 'content-type': 'application/json', ...WITH_KEY }
    const refused = await app.inject({ ...post, headers })
    expect([refused.statusCode, refused.json().message, refused.headers['retry-after']]).toEqual([429, 'not now', '3'])
    expect(refused.headers).toMatchObject({ 'x-error-reason': 'rate_limited', 'ratelimit-remaining': '9999' })
    expect([seen, handled]).toEqual([[], []])
    expect((await app.inject({ url: '/svc/api/v1/items', headers: WITH_KEY })).statusCode).toBe(200)
    refusal = null
    expect((await app.inject({ ...post, headers })).statusCode).toBe(200)
  })
})

describe('outside of the products', () => {
  it.each(['/', '/svcs', '/api/v1/items', '/%'])('%s is a plain 404', async (url) => {
    const seen: SeenRequest[] = []
    app = await testServer(routes, { seen })
    const answer = await app.inject({ url })
    expect(answer.statusCode).toBe(404)
    expect(answer.json()).toEqual({
      statusCode: 404,
      error: 'Not Found',
      message: 'no operation has this method and path',
    })
    expect(answer.headers['ratelimit-limit']).toBe('10000')
    expect(seen).toEqual([])
  })
})

it.each(['/svc', '/svc/other', '/svc/api/v2/items', '/svc/%'])(
  '%s below the product’s prefix is unknown in its envelope, without a key',
  async (url) => {
    app = await testServer(routes)
    const answer = await app.inject({ url })
    expect(answer.json()).toMatchObject({ ok: false, message: 'no operation has this method and path' })
    expect([answer.headers['x-error-reason'], answer.headers['ratelimit-limit']]).toEqual(['path_unknown', '10000'])
  },
)

describe('failures', () => {
  it('carry their reason, and the log says who asked what', async () => {
    const lines: string[] = []
    const sink = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk))
        done()
      },
    })
    app = await testServer(routes, { venue: testVenue({ log: pino({ level: 'info' }, sink) }) })
    const secretive = { ...WITH_KEY, 'x-api-sign': 'SIGNATURE', authorization: 'Bearer TOKEN' }
    const known = await app.inject({ url: '/svc/api/v1/fail/known?', headers: secretive })
    expect(known.json()).toMatchObject({ message: 'a clear sentence' })
    expect(known.headers['x-error-reason']).toBe('test_conflict')

    const unknown = await app.inject({ url: '/svc/api/v1/fail/unknown', headers: secretive })
    expect(unknown.statusCode).toBe(500)
    expect(unknown.json()).toMatchObject({ message: 'internal error' })
    expect(unknown.body).not.toContain('hunter2')

    await app.inject({ url: '/svc/api/v1/items', headers: { 'x-api-sign': 'SIGNATURE' } })
    await app.close()
    const log = lines.map((line) => JSON.parse(line))
    const failure = log.find((entry) => entry.msg === 'request failed unexpectedly')
    expect(failure).toMatchObject({ requestId: unknown.headers['x-request-id'], err: { message: 'password=hunter2' } })
    expect(log.map((entry) => entry.request).filter(Boolean)).toMatchObject([
      { route: '/api/v1/fail/:how', status: 400, reason: 'test_conflict', keyId: 'test', clientIp: '127.0.0.1' },
      { route: '/api/v1/fail/:how', status: 500, reason: 'internal_error' },
      { route: '/api/v1/items', status: 400, reason: 'test_unauthenticated', why: 'the key is missing' },
    ])
    expect(lines.join('')).not.toMatch(/SIGNATURE|TOKEN/)
  })
})

describe('the rate limit', () => {
  it('is told on every answer in seconds, and counts before authentication', async () => {
    let nowMs = 1_700_000_000_000
    const clock = { nowMs: () => nowMs }
    const rateLimiter = memoryRateLimiter({ limit: 4, windowMs: 60_000 }, clock)
    const seen: SeenRequest[] = []
    app = await testServer(routes, { rateLimiter, seen, venue: testVenue({ clock }), trustedProxies: ['127.0.0.1'] })
    const limits = async (url: string, headers = {}) => {
      const answer = await app?.inject({ url, headers })
      const { 'ratelimit-limit': limit, 'ratelimit-remaining': left, 'ratelimit-reset': reset } = answer?.headers ?? {}
      return [answer?.statusCode, limit, left, reset, answer?.headers['retry-after']]
    }
    expect(await limits('/svc/api/v1/items', WITH_KEY)).toEqual([200, '4', '3', '60', undefined])
    nowMs += 500
    expect(await limits('/svc/api/v1/items')).toEqual([400, '4', '2', '60', undefined])
    nowMs += 500
    expect(await limits('/nowhere')).toEqual([404, '4', '1', '59', undefined])
    expect(await limits('/svc/api/v1/fail/unknown', WITH_KEY)).toEqual([500, '4', '0', '59', undefined])
    expect(await limits('/svc/api/v1/items', WITH_KEY)).toEqual([429, '4', '0', '59', '59'])
    expect(await limits('/nowhere')).toEqual([429, '4', '0', '59', '59'])
    expect(seen).toHaveLength(3)
    expect(await limits('/svc/api/v1/items', { ...WITH_KEY, 'x-forwarded-for': '203.0.113.1' })).toEqual([
      200,
      '4',
      '3',
      '60',
      undefined,
    ])
    nowMs += 59_000
    expect(await limits('/svc/api/v1/items', WITH_KEY)).toEqual([200, '4', '3', '60', undefined])
    const limited = await app.inject({ url: '/healthz' })
    expect(limited.headers).not.toHaveProperty('ratelimit-limit')
  })

  it('answers 429 in the envelope, with its reason', async () => {
    const rateLimiter = memoryRateLimiter({ limit: 0, windowMs: 60_000 }, { nowMs: () => 0 })
    app = await testServer(routes, { rateLimiter })
    const answer = await app.inject({ url: '/svc/api/v1/items', headers: WITH_KEY })
    expect(answer.headers['x-error-reason']).toBe('rate_limited')
    expect(answer.json()).toMatchObject({ ok: false, message: expect.stringContaining('try again in 60 s') })
  })
})

describe('the limit of an address', () => {
  it('is that of the first 64 bits of an IPv6 address, and of an IPv4 address as a whole', async () => {
    const rateLimiter = memoryRateLimiter({ limit: 2, windowMs: 60_000 }, testVenue().clock)
    app = await testServer(routes, { rateLimiter })
    const left = async (remoteAddress: string) => {
      const answer = await (app as FastifyInstance).inject({
        url: '/svc/api/v1/items',
        remoteAddress,
        headers: WITH_KEY,
      })
      return [answer.statusCode, answer.headers['ratelimit-remaining']]
    }
    expect(await left('2001:db8:1:2::1')).toEqual([200, '1'])
    expect(await left('2001:db8:1:2:ffff::9')).toEqual([200, '0'])
    expect(await left('2001:db8:1:2:3:4:5:6')).toEqual([429, '0'])
    expect(await left('2001:db8:1:3::1')).toEqual([200, '1'])
    expect(await left('::ffff:203.0.113.7')).toEqual([200, '1'])
    expect(await left('203.0.113.7')).toEqual([200, '0'])
    expect(await left('203.0.113.8')).toEqual([200, '1'])
  })
})

describe('health', () => {
  const TEXT = { 'content-type': 'text/plain' }

  it('tells the log, not the asker, why it failed', async () => {
    const lines: string[] = []
    const venue = testVenue({ log: pino({ level: 'error' }, { write: (line: string) => void lines.push(line) }) })
    const broken = async () => {
      throw new Error('password=hunter2')
    }
    app = await testServer(routes, { venue, health: { notReady: broken, status: broken, metrics: new Registry() } })
    for (const url of ['/status', '/readyz']) {
      const answer = await app.inject(url)
      expect([answer.statusCode, answer.json()]).toEqual([500, { error: 'internal error' }])
    }
    expect(lines.map((line) => JSON.parse(line).err.message)).toEqual(['password=hunter2', 'password=hunter2'])
  })

  it('tells whoever asks wrongly what is wrong, and the log nothing', async () => {
    const lines: string[] = []
    const venue = testVenue({ log: pino({ level: 'error' }, { write: (line: string) => void lines.push(line) }) })
    app = await testServer(routes, { venue })
    const answer = await app.inject({ method: 'GET', url: '/livez', payload: 'x'.repeat(100_000), headers: TEXT })
    expect([answer.statusCode, answer.json()]).toEqual([413, { error: 'Request body is too large' }])
    expect(lines).toEqual([])
  })

  it('counts failures that alarms are for from zero, before there was one', async () => {
    const table = { name: 'requests', title: '', about: '', onWire: true, reasons: Object.values(httpReasons) }
    app = await testServer(routes, { reasonTables: [table] })
    const count = async () => {
      const { body } = await (app as FastifyInstance).inject('/metrics')
      return /^http_request_failures_total\{product="test",reason="internal_error"\} (\d+)$/m.exec(body)?.[1]
    }
    expect(await count()).toBe('0')
    await app.inject({ url: '/svc/api/v1/fail/unknown', headers: WITH_KEY })
    expect(await count()).toBe('1')
  })

  it('shows its figures to this machine alone, and how ready it is to everybody', async () => {
    let collections = 0
    const metrics = new Registry()
    new Gauge({ name: 'asked', help: 'x', registers: [metrics], collect: () => void collections++ })
    const health = { notReady: async () => [], status: async () => ({ indexedBlock: 7 }), metrics }
    app = await testServer(routes, { health, trustedProxies: ['10.0.0.1', '127.0.0.9'] })
    const from = async (remoteAddress: string, url: string, headers = {}) =>
      (await (app as FastifyInstance).inject({ url, remoteAddress, headers })).statusCode
    const forwarded = { 'x-forwarded-for': '203.0.113.7' }
    for (const url of ['/metrics', '/status']) {
      expect(await from('203.0.113.7', url)).toBe(404)
      expect(await from('::ffff:203.0.113.7', url)).toBe(404)
      // A proxy on this machine, trusted or not, and one elsewhere.
      expect(await from('127.0.0.1', url, forwarded)).toBe(404)
      expect(await from('127.0.0.9', url, forwarded)).toBe(404)
      expect(await from('10.0.0.1', url, forwarded)).toBe(404)
      expect(await from('127.0.0.9', url, { 'x-real-ip': '203.0.113.7' })).toBe(404)
      expect([await from('127.0.0.1', url), await from('::1', url)]).toEqual([200, 200])
    }
    for (const url of ['/livez', '/healthz', '/readyz']) expect(await from('203.0.113.7', url)).toBe(200)
    // Nothing is worked out for strangers.
    expect(collections).toBe(2)
  })

  it('collects its figures once for all that ask at the same time', async () => {
    let collections = 0
    const metrics = new Registry()
    const gate = Promise.withResolvers<void>()
    const collect = async () => {
      collections++
      await gate.promise
    }
    new Gauge({ name: 'asked', help: 'x', registers: [metrics], collect })
    app = await testServer(routes, { health: { notReady: async () => [], status: async () => ({}), metrics } })
    const server = app
    const scrapes = [1, 2, 3].map(() => server.inject('/metrics'))
    await expect.poll(() => collections).toBe(1)
    gate.resolve()
    const answers = await Promise.all(scrapes)
    expect(answers.map(({ statusCode, body }) => [statusCode, body.includes('asked')])).toEqual(
      Array(3).fill([200, true]),
    )
    expect(collections).toBe(1)
  })

  it('needs no key', async () => {
    const reasons: string[] = ['the indexer is 12 blocks behind']
    const metrics = new Registry()
    const health = { notReady: async () => reasons, status: async () => ({ indexedBlock: 7 }), metrics }
    app = await testServer(routes, { health })
    expect((await app.inject('/healthz')).json()).toEqual({ status: 'ok' })
    const waiting = await app.inject('/readyz')
    expect([waiting.statusCode, waiting.json()]).toEqual([503, { ready: false, reasons }])
    reasons.length = 0
    const ready = await app.inject('/readyz')
    expect([ready.statusCode, ready.json()]).toEqual([200, { ready: true, reasons: [] }])
    expect((await app.inject('/status')).json()).toEqual({ indexedBlock: 7 })
    await app.inject({ url: '/svc/api/v1/items/a', headers: WITH_KEY })
    await app.inject('/nowhere')
    const text = (await app.inject('/metrics')).body
    expect(text).toContain(
      'http_request_duration_seconds_count{product="test",method="GET",route="/api/v1/items/:id",status="200"} 1',
    )
    expect(text).toContain(
      'http_request_duration_seconds_count{product="none",method="any",route="unknown",status="404"} 1',
    )
  })
})
