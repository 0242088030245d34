import { createHash } from 'node:crypto'
import { brotliDecompressSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import { afterEach, describe, expect, it } from 'vitest'
import { html } from './html.ts'
import { memoryRateLimiter } from './rate-limit.ts'
import { httpReasons } from './reasons.ts'
import type { ReasonTable, StreamReference } from './reference.ts'
import { venueMessages, venueRequests } from './stream-reference.ts'
import { type SeenRequest, sampleRoutes, testMount, testServer, testVenue } from './testing.ts'
import { MemorySource } from './testing-stream.ts'

const reasonTables: readonly ReasonTable[] = [
  { name: 'requests', title: 'Requests', about: 'About requests.', onWire: true, reasons: Object.values(httpReasons) },
]
const seen: SeenRequest[] = []
let app: FastifyInstance | undefined
afterEach(async () => {
  seen.length = 0
  await app?.close()
})

describe('the reference', () => {
  it.each(['/openapi.json', '/docs/errors', '/docs/errors/request_invalid'])('%s needs no key', async (url) => {
    app = await testServer(sampleRoutes([]), { seen, reasonTables })
    const answer = await app.inject(url)
    expect(answer.statusCode).toBe(200)
    expect(seen).toEqual([])
  })

  it('is made of the routes that are mounted', async () => {
    app = await testServer(sampleRoutes([]))
    const document = (await app.inject('/openapi.json')).json()
    expect(document.servers).toEqual([{ url: '/svc' }])
    expect(Object.keys(document.paths['/api/v1/items'])).toEqual(['get', 'post'])
    expect(document.paths['/api/v1/items'].post.requestBody.content['application/json'].schema).toMatchObject({
      required: ['side', 'amount'],
      additionalProperties: false,
      properties: { nested: { additionalProperties: false } },
    })
  })

  it('has the messages of a stream where its product says them', async () => {
    const stream = { path: '/api/v1/stream', access: 'PUBLIC', open: () => new MemorySource() } as const
    const served = async (reference?: StreamReference) => {
      const mounts = [testMount([], { stream: { ...stream, ...(reference ? { reference: () => reference } : {}) } })]
      app = await testServer([], { mounts })
      const answer = await app.inject('/asyncapi.json')
      await app.close()
      return answer
    }
    const said = {
      title: 'Test stream',
      description: '',
      requests: venueRequests,
      messages: venueMessages,
      schemas: {},
    }
    const document = (await served(said)).json()
    expect(document.channels.stream.address).toBe('/svc/api/v1/stream')
    expect(document.components.messages.pong.payload.properties.type).toEqual({ type: 'string', const: 'pong' })
    expect((await served()).statusCode).toBe(404)
  })

  it('is compressed for who takes Brotli, and the same', async () => {
    app = await testServer(sampleRoutes([]))
    const plain = await app.inject('/openapi.json')
    expect(plain.headers).toMatchObject({ vary: 'accept-encoding' })
    expect(plain.headers['content-encoding']).toBeUndefined()
    for (const accepted of ['br', 'gzip, deflate, br', 'gzip;q=0.5, br;q=0.9']) {
      const answer = await app.inject({ url: '/openapi.json', headers: { 'accept-encoding': accepted } })
      expect([accepted, answer.headers['content-encoding']]).toEqual([accepted, 'br'])
      expect(brotliDecompressSync(answer.rawPayload).toString()).toBe(plain.payload)
    }
    for (const refused of ['gzip', 'br;q=0', 'gzip, br;q=0.0, deflate', 'bro']) {
      const answer = await app.inject({ url: '/openapi.json', headers: { 'accept-encoding': refused } })
      expect([refused, answer.payload]).toEqual([refused, plain.payload])
    }
  })

  it('has error pages that run nothing, load nothing and are framed by nobody', async () => {
    app = await testServer(sampleRoutes([]), { reasonTables })
    for (const url of ['/docs/errors', '/docs/errors/internal_error']) {
      const { headers, body } = await app.inject(url)
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
      const style = /<style>([\s\S]*)<\/style>/.exec(body)?.[1] ?? ''
      const hash = createHash('sha256').update(style).digest('base64')
      expect(headers['content-security-policy']).toBe(
        `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      )
    }
  })

  it('explains each reason, and says where all are for one that there is not', async () => {
    app = await testServer(sampleRoutes([]), { reasonTables })
    const page = (await app.inject('/docs/errors/rate_limited')).body
    expect(page).toContain('Wait for the seconds in Retry-After')
    expect(page).toContain('Test API: HTTP 429, code 429.')
    for (const name of ['nonsense', '__proto__', 'constructor']) {
      const unknown = await app.inject(`/docs/errors/${name}`)
      expect([unknown.statusCode, unknown.json().message]).toEqual([
        404,
        'there is no such reason; /docs/errors lists all',
      ])
    }
  })

  it('counts against the rate limit and shows in the metrics', async () => {
    const metrics = new Registry()
    const venue = testVenue()
    const health = { notReady: async () => [], status: async () => ({}), metrics }
    const rateLimiter = memoryRateLimiter({ limit: 1, windowMs: 60_000 }, venue.clock)
    app = await testServer(sampleRoutes([]), { reasonTables, rateLimiter, health, venue })
    expect((await app.inject('/docs/errors')).headers['ratelimit-remaining']).toBe('0')
    expect((await app.inject('/openapi.json')).statusCode).toBe(429)
    expect(await metrics.metrics()).toMatch(/_count{product="none",method="GET",route="\/docs\/errors",status="200"} 1/)
  })
})

it('a template escapes what is put into it, unless that is HTML', () => {
  expect(html`<p>${'<b>"&\''}${html`<i>${1}</i>`}${['a', '<']}</p>`.text).toBe(
    '<p>&#60;b&#62;&#34;&#38;&#39;<i>1</i>a&#60;</p>',
  )
})
