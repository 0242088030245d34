import { randomBytes, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { signRequest } from './signing.ts'
import { type Sent, type SignedServer, START_MS, startSignedServer } from './testing/signed.ts'

let server: SignedServer

beforeAll(async () => {
  server = await startSignedServer()
})
afterAll(() => server.close())
beforeEach(() => {
  server.setNow(START_MS)
  server.handled.length = 0
})

const send = (sent?: Sent) => server.send(sent)

describe('a request signed as the interface says', () => {
  it.each<[string, Sent]>([
    ['GET', {}],
    ['GET by a READ_ONLY key', {}],
    ['POST', { method: 'POST', body: '{"notional":"10"}' }],
    ['POST with other white space', { method: 'POST', body: '{ "notional" :\n10.50 }\n' }],
    ['DELETE', { method: 'DELETE', uri: '/api/v1/orders/0xab' }],
    ['query out of order', { uri: '/api/v1/orders?page=2&limit=10' }],
    ['query in order', { uri: '/api/v1/orders?limit=10&page=2' }],
    ['query encoded', { uri: '/api/v1/orders?status=Partial%20filled&limit=10' }],
    [
      'query signed as plain text',
      { uri: '/api/v1/orders?status=Partial+filled', signedUri: '/api/v1/orders?status=Partial filled' },
    ],
    ['an oldest timestamp', { timestampMs: START_MS - 45_000 }],
    ['a newest timestamp', { timestampMs: START_MS + 45_000 }],
    ['a nonce that is no UUID', { nonce: `n/${randomBytes(30).toString('base64')}` }],
    ['from another spelling of the address', { remoteAddress: '::ffff:127.0.0.1' }],
    ['from behind the trusted proxy', { remoteAddress: '10.0.0.1', headers: { 'x-forwarded-for': '127.0.0.1' } }],
  ])('%s is let in', async (name, sent) => {
    const key = name.includes('READ_ONLY') ? server.reader : server.writer
    const answer = await send({ key, ...sent })
    expect(answer.json()).toMatchObject({ code: 200, errMsg: '', uuid: answer.headers['x-request-id'], t: START_MS })
    expect(answer.statusCode).toBe(200)
    expect(server.handled).toHaveLength(1)
  })

  it('has its signature read in any case, and with its digits alone', async () => {
    const nonce = randomUUID()
    const signed = signRequest({
      method: 'GET',
      uri: '/api/v1/orders',
      ...server.writer,
      chainId: 31337,
      productType: 'Bourse',
      timestampMs: START_MS,
      nonce,
    })
    const sign = String(signed['x-api-sign'])
    for (const wrong of [`${sign}a`, `${sign} 0`, `${sign.slice(0, -1)}g`, sign.slice(0, -2), `0x${sign.slice(2)}`]) {
      expect((await send({ nonce, headers: { 'x-api-sign': wrong } })).json().code).toBe(401)
    }
    const upper = sign.toUpperCase()
    expect((await send({ nonce, headers: { 'x-api-sign': upper } })).json().code).toBe(200)
  })

  it('tells its handler who calls', async () => {
    expect((await send()).json().data.caller).toEqual({
      keyId: server.writer.apiKey,
      access: 'WRITABLE',
      userAddress: '0x00000000000000000000000000000000000000ab',
      secretMadeAtMs: expect.any(Number),
    })
    expect((await send({ key: server.reader })).json().data.caller).toEqual({
      keyId: server.reader.apiKey,
      access: 'READ_ONLY',
      userAddress: null,
      secretMadeAtMs: expect.any(Number),
    })
  })
})

describe('after authentication', () => {
  it.each<[string, Sent, number, string]>([
    ['an unknown path', { uri: '/api/v1/unknown' }, 10001, 'path_unknown'],
    ['an unknown field', { method: 'POST', body: '{"notional":"1","x":1}' }, 10000, 'request_invalid'],
    ['a repeated key', { method: 'POST', body: '{"notional":"1","notional":"1"}' }, 10000, 'request_invalid'],
    ['a body on DELETE', { method: 'DELETE', uri: '/api/v1/orders/0xab', body: '{}' }, 10000, 'request_invalid'],
    ['a repeated parameter', { uri: '/api/v1/orders?page=1&page=2' }, 10000, 'request_invalid'],
  ])('%s is told clearly', async (_name, sent, code, reason) => {
    const answer = await send(sent)
    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({ code, uuid: answer.headers['x-request-id'], t: START_MS })
    expect(answer.json().errMsg).not.toBe('')
    expect(answer.headers['x-error-reason']).toBe(reason)
    expect(server.handled).toEqual([])
  })
})

describe('whatever is sent', () => {
  const text = fc.string({ unit: 'binary', maxLength: 40 })
  const path = fc.oneof(
    { arbitrary: fc.constantFrom('orders', 'orders/0xab', 'none'), weight: 6 },
    fc.webPath(),
    text.map(encodeURIComponent),
  )
  const requests = fc.record({
    method: fc.constantFrom('GET', 'POST', 'DELETE', 'PUT'),
    path: path.filter((part) => !part.includes('#')),
    query: fc.oneof(
      fc.constant(''),
      fc.webQueryParameters().map((part) => `?${part}`),
    ),
    body: fc.option(fc.oneof(fc.constant('{"notional":1.5}'), fc.json(), text), { nil: undefined, freq: 2 }),
    contentType: fc.constantFrom('application/json', 'application/json', 'text/plain', 'a b', ''),
    signed: fc.boolean(),
  })

  it('is answered in the envelope, and never by a failure of the venue', async () => {
    const codes = new Map<number, number>()
    await fc.assert(
      fc.asyncProperty(requests, async ({ method, path: part, query, body, contentType, signed }) => {
        const uri = `/api/v1/${part}${query}`
        // The client of these tests may rewrite a path; what it sends is then not what was signed.
        const wire = new URL(`http://x/stock${uri}`)
        const sentUri = `${wire.pathname}${wire.search}`.replace(/^\/stock/, '')
        const answer = await send({
          method: method as 'GET',
          uri: sentUri,
          headers: { 'content-type': contentType, ...(signed ? {} : { 'x-api-sign': 'ab'.repeat(32) }) },
          ...(body === undefined ? {} : { body }),
        })
        const { code } = answer.statusCode === 404 ? { code: 404 } : answer.json()
        codes.set(code, (codes.get(code) ?? 0) + 1)
        expect([200, 401, 404, 10000, 10001]).toContain(code)
        if (!signed) expect([401, 404]).toContain(code)
      }),
      { numRuns: 1500, seed: 20_261_121 },
    )
    for (const code of [200, 401, 10000, 10001]) expect(codes.get(code)).toBeGreaterThan(20)
  })
})
