import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { HmacSha256 } from '../auth/hmac.ts'
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

type Answer = Awaited<ReturnType<typeof send>>

/** Everything of an answer that could tell one failure from another. */
function telling(answer: Answer) {
  const { date: _date, 'x-request-id': id, 'ratelimit-remaining': _left, ...headers } = answer.headers
  return { status: answer.statusCode, headers, body: answer.body.replace(String(id), '<uuid>') }
}

const THE_FAILURE = {
  status: 400,
  headers: {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(
      `{"code":401,"errMsg":"Unauthorized","data":null,"uuid":"${randomUUID()}","t":${START_MS}}`.length,
    ),
    connection: 'keep-alive',
    'ratelimit-limit': '1000000',
    'ratelimit-reset': '60',
  },
  body: `{"code":401,"errMsg":"Unauthorized","data":null,"uuid":"<uuid>","t":${START_MS}}`,
}

describe('every authentication failure is the same answer', () => {
  const cases: [string, () => Sent | Promise<Sent>][] = [
    [
      'no headers at all',
      () => ({
        headers: {
          'x-api-key': undefined,
          'x-api-ts': undefined,
          'x-api-nonce': undefined,
          'x-api-sign': undefined,
          'x-api-chain-id': undefined,
          'x-api-p': undefined,
        },
      }),
    ],
    ['x-api-key missing', () => ({ headers: { 'x-api-key': undefined } })],
    ['x-api-key unknown', () => ({ headers: { 'x-api-key': 'unknown' } })],
    ['x-api-key twice', () => ({ headers: { 'x-api-key': `${server.writer.apiKey}, ${server.writer.apiKey}` } })],
    [
      'key disabled',
      async () => {
        const key = await server.issue()
        await server.disable(key)
        return { key }
      },
    ],
    [
      'key expired',
      async () => {
        return { key: await server.issueUntil(START_MS) }
      },
    ],
    [
      'secret rotated',
      async () => {
        const key = await server.issue()
        await server.rotate(key)
        return { key }
      },
    ],
    [
      'whitelist empty',
      async () => {
        const key = await server.issue({ ipWhitelist: [] })
        return { key }
      },
    ],
    ['address not on the whitelist', () => ({ remoteAddress: '127.0.0.2' })],
    [
      'address forged by a stranger',
      () => ({ remoteAddress: '127.0.0.2', headers: { 'x-forwarded-for': '127.0.0.1' } }),
    ],
    [
      'address forged through the proxy',
      () => ({ remoteAddress: '10.0.0.1', headers: { 'x-forwarded-for': '127.0.0.1, 127.0.0.2' } }),
    ],
    ['READ_ONLY on POST', () => ({ key: server.reader, method: 'POST', body: '{"notional":"10"}' })],
    ['READ_ONLY on DELETE', () => ({ key: server.reader, method: 'DELETE', uri: '/api/v1/orders/0xab' })],
    ['READ_ONLY on an unknown write', () => ({ key: server.reader, method: 'PUT', uri: '/api/v1/unknown' })],
    [
      'key of another chain',
      async () => {
        const key = await server.issue({ chainId: 1 })
        return { key }
      },
    ],
    [
      'key of another chain, and its chain header',
      async () => {
        const key = await server.issue({ chainId: 1 })
        return { key, chainId: 1 }
      },
    ],
    [
      'key of another product',
      async () => {
        const key = await server.issue({ productType: 'Other' })
        return { key }
      },
    ],
    ['x-api-ts too old', () => ({ timestampMs: START_MS - 45_001 })],
    ['x-api-ts too new', () => ({ timestampMs: START_MS + 45_001 })],
    ['x-api-ts in seconds', () => ({ timestampMs: START_MS / 1000 })],
    ['x-api-ts missing', () => ({ headers: { 'x-api-ts': undefined } })],
    ['x-api-ts with a sign', () => ({ headers: { 'x-api-ts': `+${START_MS}` } })],
    ['x-api-ts with a fraction', () => ({ headers: { 'x-api-ts': `${START_MS}.0` } })],
    ['x-api-ts in hex', () => ({ headers: { 'x-api-ts': `0x${START_MS.toString(16)}` } })],
    ['x-api-ts changed after signing', () => ({ headers: { 'x-api-ts': String(START_MS + 1) } })],
    ['x-api-nonce missing', () => ({ headers: { 'x-api-nonce': undefined } })],
    ['x-api-nonce empty', () => ({ headers: { 'x-api-nonce': '' } })],
    ['x-api-nonce too long', () => ({ nonce: 'n'.repeat(129) })],
    ['x-api-nonce twice', () => ({ nonce: 'a, b' })],
    ['x-api-nonce changed after signing', () => ({ headers: { 'x-api-nonce': randomUUID() } })],
    [
      'x-api-nonce used before',
      async () => {
        const nonce = randomUUID()
        await send({ nonce })
        return { nonce, timestampMs: START_MS + 1 }
      },
    ],
    ['x-api-chain-id missing', () => ({ headers: { 'x-api-chain-id': undefined } })],
    ['x-api-chain-id other', () => ({ headers: { 'x-api-chain-id': '1' } })],
    ['x-api-chain-id in hex', () => ({ headers: { 'x-api-chain-id': '0x7a69' } })],
    ['x-api-chain-id with a zero before', () => ({ headers: { 'x-api-chain-id': '031337' } })],
    ['x-api-chain-id twice', () => ({ headers: { 'x-api-chain-id': '31337, 31337' } })],
    ['x-api-p missing', () => ({ headers: { 'x-api-p': undefined } })],
    ['x-api-p in another casing', () => ({ headers: { 'x-api-p': 'bourse' } })],
    ['x-api-p other', () => ({ headers: { 'x-api-p': 'Anchored' } })],
    ['x-api-sign missing', () => ({ headers: { 'x-api-sign': undefined } })],
    ['x-api-sign of other length', () => ({ headers: { 'x-api-sign': 'ab' } })],
    ['x-api-sign no hex', () => ({ headers: { 'x-api-sign': 'z'.repeat(64) } })],
    ['x-api-sign in base64', () => ({ headers: { 'x-api-sign': randomBytes(32).toString('base64') } })],
    ['signed over the full URL', () => ({ signedUri: 'http://127.0.0.1:8080/stock/api/v1/orders' })],
    ['signed with the service prefix', () => ({ signedUri: '/stock/api/v1/orders' })],
    [
      'signed with another method',
      () => {
        const nonce = randomUUID()
        const signed = signRequest({
          method: 'get',
          uri: '/api/v1/orders',
          ...server.writer,
          chainId: 31337,
          productType: 'Bourse',
          timestampMs: START_MS,
          nonce,
        })
        return { nonce, headers: { 'x-api-sign': signed['x-api-sign'] } }
      },
    ],
    [
      'signed with backslash and n',
      () => {
        const nonce = randomUUID()
        return {
          nonce,
          headers: { 'x-api-sign': hmacOf(['GET', '/api/v1/orders', String(START_MS), nonce, ''].join('\\n')) },
        }
      },
    ],
    [
      'signed with CRLF',
      () => {
        const nonce = randomUUID()
        return {
          nonce,
          headers: { 'x-api-sign': hmacOf(['GET', '/api/v1/orders', String(START_MS), nonce, ''].join('\r\n')) },
        }
      },
    ],
    [
      'signed without the fourth newline',
      () => {
        const nonce = randomUUID()
        return {
          nonce,
          headers: { 'x-api-sign': hmacOf(['GET', '/api/v1/orders', String(START_MS), nonce].join('\n')) },
        }
      },
    ],
    [
      'signed with an unsorted query',
      () => {
        const nonce = randomUUID()
        const uri = '/api/v1/orders?page=1&limit=10'
        return { uri, nonce, headers: { 'x-api-sign': hmacOf(['GET', uri, String(START_MS), nonce, ''].join('\n')) } }
      },
    ],
    ['query changed after signing', () => ({ uri: '/api/v1/orders?page=2', signedUri: '/api/v1/orders?page=1' })],
    ['query added after signing', () => ({ uri: '/api/v1/orders?page=2', signedUri: '/api/v1/orders' })],
    [
      'body changed after signing',
      () => ({ method: 'POST', body: '{"notional":"11"}', signedBody: '{"notional":"10"}' }),
    ],
    [
      'white space added to the body',
      () => ({ method: 'POST', body: '{"notional": "10"}', signedBody: '{"notional":"10"}' }),
    ],
    ['body added after signing', () => ({ method: 'POST', body: '{}', signedBody: '' })],
    ['body added to a GET', () => ({ body: '{}', signedBody: '' })],
    ['invalid JSON, not signed', () => ({ method: 'POST', body: '{', signedBody: '' })],
    ['unknown path, not signed', () => ({ uri: '/api/v1/unknown', signedUri: '/api/v1/orders' })],
    ['path that cannot be decoded, not signed', () => ({ uri: '/api/v1/%ff', signedUri: '/api/v1/orders' })],
  ]

  it.each(cases)('%s', async (_name, makeSent) => {
    const sent = await makeSent()
    server.handled.length = 0
    expect(telling(await send(sent))).toEqual(THE_FAILURE)
    expect(server.handled).toEqual([])
  })

  it('a failed request leaves its nonce free', async () => {
    const nonce = randomUUID()
    expect((await send({ nonce, headers: { 'x-api-sign': 'ab'.repeat(32) } })).json().code).toBe(401)
    expect((await send({ nonce, remoteAddress: '127.0.0.2' })).json().code).toBe(401)
    expect((await send({ nonce })).json().code).toBe(200)
    expect((await send({ nonce })).json().code).toBe(401)
  })

  it('a key may use the nonce of another key', async () => {
    const nonce = randomUUID()
    expect((await send({ nonce })).json().code).toBe(200)
    expect((await send({ nonce, key: server.reader })).json().code).toBe(200)
  })

  it('a key expires while the venue runs', async () => {
    const key = await server.issueUntil(START_MS + 1000)
    expect((await send({ key })).json().code).toBe(200)
    server.setNow(START_MS + 1000)
    expect((await send({ key })).json().code).toBe(401)
  })
})

function hmacOf(payload: string): string {
  return new HmacSha256(server.writer.apiSecret).hex(payload, Buffer.alloc(0))
}
