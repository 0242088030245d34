import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import type { Route } from './product.ts'
import { memoryRateLimiter } from './rate-limit.ts'
import { drain, listen } from './server.ts'
import type { StreamLimits } from './stream-source.ts'
import { testMount, testServer, testVenue, WITH_KEY } from './testing.ts'
import { MEMORY_HINT, MemorySource, refusedUpgrade, type Seen, StreamClient } from './testing-stream.ts'

let database: TestDatabase
let app: FastifyInstance
let source: MemorySource
let url: string
let port: number
let isKeyLive: boolean
const clients: StreamClient[] = []

beforeEach(async () => {
  database = await testDatabase()
})
afterEach(async () => {
  vi.restoreAllMocks()
  for (const client of clients.splice(0)) client.close()
  await drain(app, 1000)
  await database.drop()
})

const routes: Route[] = [
  {
    method: 'POST',
    path: '/api/v1/echo',
    summary: '',
    access: 'WRITABLE',
    schema: { body: Type.Object({ a: Type.Integer() }), data: Type.Any() },
    handler: async ({ body }) => body,
  },
]

async function serve(limits: Partial<StreamLimits> = {}, requests = 10_000): Promise<void> {
  source = new MemorySource()
  isKeyLive = true
  const few = { connectionsPerKey: 100, channelsPerConnection: 3, bufferBytes: 256 * 1024, heartbeatMs: 60_000 }
  app = await testServer(routes, {
    mounts: [testMount(routes, { stream: { path: '/api/v1/stream', access: 'READ_ONLY', open: () => source } })],
    venue: testVenue({ sql: database.sql }),
    rateLimiter: memoryRateLimiter({ limit: requests, windowMs: 60_000 }, testVenue().clock),
    streams: { limits: { ...few, ...limits }, isKeyLive: () => isKeyLive },
  })
  const base = await listen(app, { host: '127.0.0.1', port: 0 })
  port = Number(new URL(base).port)
  url = `${base.replace('http', 'ws')}/svc/api/v1/stream`
}

async function open(options?: { autoPong?: boolean }): Promise<StreamClient> {
  const client = new StreamClient(url, WITH_KEY, options)
  clients.push(client)
  return client.opened()
}

const sequences = (messages: readonly Seen[]): number[] => messages.map(({ sequence }) => sequence)
const upTo = (count: number, first = 1) => Array.from({ length: count }, (_, nth) => first + nth)

describe('an upgrade', () => {
  beforeEach(() => serve({ connectionsPerKey: 2 }))

  it('is authenticated, limited and answered as every request is', async () => {
    const refused = await refusedUpgrade(url, {})
    expect([refused.status, refused.body]).toMatchObject([400, { ok: false, message: 'no' }])
    expect(refused.headers['ratelimit-limit']).toBe('10000')
    expect(refused.headers['x-error-reason']).toBeUndefined()
    expect((await refusedUpgrade(`${url}?colour=red`, WITH_KEY)).body.message).toContain('colour')
    expect((await refusedUpgrade(`${url}s`, WITH_KEY)).headers['x-error-reason']).toBe('path_unknown')
    const plain = await app.inject({ url: '/svc/api/v1/stream', headers: WITH_KEY })
    expect(plain.headers['x-error-reason']).toBe('upgrade_required')
  })

  it('is refused beyond the connections of a key, until one of them ends', async () => {
    const [first] = [await open(), await open()]
    const refused = await refusedUpgrade(url, WITH_KEY)
    expect(refused.headers['x-error-reason']).toBe('too_many_connections')
    first?.close()
    await expect.poll(async () => (await open().catch(() => null)) !== null, { timeout: 240_000 }).toBe(true)
  })

  it('to anything else is no upgrade, and a request that offers it is served', async () => {
    const socket = connect(port, '127.0.0.1')
    const body = '{"a":1}'
    socket.write(
      `POST /svc/api/v1/echo HTTP/1.1\r\nhost: a\r\nx-test-key: yes\r\nconnection: upgrade, close\r\nupgrade: h2c\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    )
    let text = ''
    for await (const chunk of socket) text += chunk
    expect(text).toContain('"data":{"a":1}')
  })

  it('leaves the timeout of HTTP behind: nothing need pass on a stream until its heartbeat', async () => {
    const arrived = once(app.server, 'connection')
    const client = await open()
    const [socket] = (await arrived) as [Socket]
    expect(app.server.timeout).toBeGreaterThan(0)
    expect(socket.timeout).toBe(0)
    expect((await client.subscribe('a')).type).toBe('snapshot')
  })

  it('that is broken off or broken does no harm', async () => {
    for (const headers of [
      '',
      'sec-websocket-version: 1\r\n',
      'content-length: 5\r\n',
      'transfer-encoding: chunked\r\n',
    ]) {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => {})
      socket.write(
        `GET /svc/api/v1/stream HTTP/1.1\r\nhost: a\r\nx-test-key: yes\r\nconnection: upgrade\r\nupgrade: websocket\r\n${headers}\r\n`,
      )
      await once(socket.resume(), 'close')
    }
    const client = await open()
    expect((await client.subscribe('a')).sequence).toBe(0)
  })
})

describe('messages', () => {
  beforeEach(() => serve())

  it('that make no sense are answered by what would, and harm nothing', async () => {
    const client = await open()
    const bad: [string | object, string][] = [
      ['', 'JSON'],
      ['{', 'JSON'],
      ['[]', 'JSON object'],
      ['null', 'JSON object'],
      [{ op: 'buy' }, 'op must be'],
      [{ op: 'constructor' }, 'op must be'],
      [{ op: 'subscribe' }, 'channel must be'],
      [{ op: 'subscribe', channel: 5 }, 'channel must be'],
      [{ op: 'subscribe', channel: 'x'.repeat(129) }, 'channel must be'],
      [{ op: 'subscribe', channel: 'a', form: 1 }, 'no field "form"'],
      [{ op: 'subscribe', channel: 'a', from: '1' }, 'from must be'],
      [{ op: 'subscribe', channel: 'a', from: -1 }, 'from must be'],
      [{ op: 'subscribe', channel: 'a', from: 1e300 }, 'from must be'],
      [{ op: 'ping', id: {} }, 'id must be'],
      [{ op: 'unsubscribe', channel: 'a' }, 'does not follow a'],
      [{ op: 'subscribe', channel: 'none' }, 'no channel none'],
      [{ op: 'subscribe', channel: 'broken' }, 'internal error'],
    ]
    for (const [message] of bad) client.send(message)
    client.socket.send(Buffer.from([1, 2]), { binary: true })
    await client.until((seen) => seen.length === bad.length + 1)
    for (const [nth, [, word]] of bad.entries()) expect(client.seen[nth].message).toContain(word)
    expect(client.seen.every(({ type }) => type === 'error')).toBe(true)
    expect(JSON.stringify(client.seen)).not.toContain('hunter2')
    expect((await client.subscribe('a')).type).toBe('snapshot')
    expect((await client.subscribe('a')).reason).toBe('already_subscribed')
  })

  it('that are too long end the connection', async () => {
    const client = await open()
    client.send(`{"op":"ping","id":"${'x'.repeat(5000)}"}`)
    expect((await client.end()).code).toBe(1009)
    expect((await (await open()).subscribe('a')).type).toBe('snapshot')
  })

  it('beyond the channels of a connection are refused, until it leaves one', async () => {
    const client = await open()
    for (const channel of ['a', 'b', 'c']) await client.subscribe(channel)
    expect((await client.subscribe('d')).reason).toBe('too_many_channels')
    client.send({ op: 'unsubscribe', channel: 'a' })
    await client.message('unsubscribed', 'a')
    expect(source.released).toEqual(['a'])
    expect((await client.subscribe('d')).type).toBe('snapshot')
  })

  it('of a flood end the connection', async () => {
    const client = await open()
    for (let nth = 0; nth < 20_000 && !client.closed; nth++) client.send({ op: 'subscribe', channel: 'none' })
    expect(await client.end()).toEqual({ code: 4004, reason: 'too_many_messages' })
  })
})

describe('subscriptions', () => {
  const MOST = 5

  it('count for the address, over its connections and apart from its requests', async () => {
    await serve({}, MOST)
    const [client, other] = [await open(), await open()]
    for (let nth = 0; nth < MOST; nth++) {
      expect((await client.subscribe('a')).type).toBe('snapshot')
      client.send({ op: 'unsubscribe', channel: 'a' })
      await client.until((seen) => seen.filter(({ type }) => type === 'unsubscribed').length === nth + 1)
    }
    for (const one of [client, other]) {
      expect(await one.subscribe('b')).toMatchObject({
        type: 'error',
        reason: 'rate_limited',
        message: `too many requests: this address may subscribe ${MOST} times in a window; try again in 60 s`,
      })
    }
    client.send({ op: 'ping', id: 1 })
    expect(await client.message('pong')).toMatchObject({ id: 1 })
    expect((await fetch(`http://127.0.0.1:${port}/nowhere`)).headers.get('ratelimit-remaining')).toBe(String(MOST - 3))
  })
})

describe('a channel', () => {
  beforeEach(() => serve())

  it('gives a snapshot and then every change, once and in order', async () => {
    source.push('a', '{"n":1.50}')
    const client = await open()
    expect(await client.subscribe('a')).toMatchObject({ sequence: 1, reason: 'subscribed', data: [{ n: 1.5 }] })
    for (let nth = 2; nth <= 45; nth++) source.push('a', String(nth))
    await client.until(() => client.deltas('a').length === 44)
    expect(sequences(client.deltas('a'))).toEqual(upTo(44, 2))
    expect(client.deltas('a').map(({ data }) => data)).toEqual(upTo(44, 2))
  })

  it('goes on where a client was, or says that it cannot', async () => {
    for (let nth = 1; nth <= 35; nth++) source.push('a', String(nth))
    const client = await open()
    expect(await client.subscribe('a', 5)).toMatchObject({ type: 'resumed', sequence: 5 })
    await client.until(() => client.deltas('a').length === 30)
    expect(sequences(client.deltas('a'))).toEqual(upTo(30, 6))
    source.keptFrom = 30n
    const late = await open()
    expect(await late.subscribe('a', 5)).toMatchObject({ type: 'snapshot', sequence: 35, reason: 'too_old' })
    const ahead = await open()
    expect(await ahead.subscribe('a', 99)).toMatchObject({ type: 'snapshot', sequence: 35, reason: 'too_old' })
  })

  it('is begun anew for a follower whose place is lost', async () => {
    source.push('a', '1')
    const client = await open()
    await client.subscribe('a')
    source.channels.set('a', [])
    const again = await client.until((seen) => seen.find(({ reason }) => reason === 'too_old'))
    expect(again).toMatchObject({ type: 'snapshot', sequence: 0 })
    source.push('a', '7')
    await client.until(() => client.deltas('a').length === 1)
    expect(sequences(client.deltas('a'))).toEqual([1])
  })

  it('tells a slow reader why it is cut, while fifty others miss nothing', async () => {
    const slow = await open()
    const others = await Promise.all(Array.from({ length: 50 }, () => open()))
    await Promise.all([slow, ...others].map((client) => client.subscribe('a')))
    slow.socket.pause()
    const data = JSON.stringify('x'.repeat(20_000))
    const messages = 600
    for (let nth = 1; nth <= messages; nth++) {
      source.push('a', data)
      if (nth % 10 !== 0) continue
      // As fast as the others read.
      await database.sql.notify(MEMORY_HINT, '')
      await Promise.all(others.map((client) => client.until(() => client.deltas('a').length === nth)))
    }
    for (const client of others) expect(sequences(client.deltas('a'))).toEqual(upTo(messages))
    slow.socket.resume()
    const { code } = await slow.end()
    // The close frame is the last thing to come, where the connection was not cut before it could be read.
    expect([4002, 1006]).toContain(code)
    expect(slow.deltas('a').length).toBeLessThan(messages)
    expect(sequences(slow.deltas('a'))).toEqual(upTo(slow.deltas('a').length))
    const back = await open()
    await back.subscribe('a', slow.deltas('a').length)
    await back.until(() => back.deltas('a').length === messages - slow.deltas('a').length)
  })
})

describe('heartbeats', () => {
  it('come from the venue, and a client of which nothing is heard is ended', async () => {
    const heartbeatMs = 1500
    // The venue's watch goes on only when the clients have had the heartbeat: a machine's pause is nobody's silence.
    let nowMs = Math.ceil(performance.now())
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
    await serve({ heartbeatMs })
    const deaf = await open({ autoPong: false })
    const alive = await open()
    const pinging = await open({ autoPong: false })
    const count = (client: StreamClient, kind: string) => client.seen.filter(({ type }) => type === kind).length
    for (let beat = 1; beat <= 4; beat++) {
      nowMs += heartbeatMs
      pinging.send({ op: 'ping', id: beat })
      await pinging.until(() => count(pinging, 'pong') === beat)
      for (const client of [alive, pinging]) await client.until(() => count(client, 'heartbeat') === beat)
    }
    expect(await deaf.end()).toEqual({ code: 4001, reason: 'heartbeat_timeout' })
    expect(deaf.seen.at(-1)).toMatchObject({ type: 'closing', code: 4001, reason: 'heartbeat_timeout' })
    expect(count(deaf, 'heartbeat')).toBe(2)
    expect(await pinging.message('pong')).toMatchObject({ id: 1 })
    expect([alive.closed, pinging.closed]).toEqual([null, null])
  })
})

describe('the metrics', () => {
  it('count the connections that are open', async () => {
    await serve()
    const client = await open()
    const shown = async () => /^bourse_stream_connections (\d+)$/m.exec((await app.inject('/metrics')).body)?.[1]
    expect(await shown()).toBe('1')
    client.close()
    await expect.poll(shown, { timeout: 240_000 }).toBe('0')
  })
})

describe('the end', () => {
  it('of a key ends its connections', async () => {
    await serve()
    const client = await open()
    isKeyLive = false
    expect(await client.end()).toEqual({ code: 4003, reason: 'key_ended' })
  })

  it('of the venue is told to every client, also to one that does not read', async () => {
    await serve()
    const [client, deaf] = [await open(), await open()]
    await client.subscribe('a')
    deaf.socket.pause()
    await drain(app, 60_000)
    expect(await client.end()).toEqual({ code: 1001, reason: 'stopping' })
    expect(client.seen.at(-1)).toMatchObject({ type: 'closing', reason: 'stopping' })
    deaf.socket.resume()
    await deaf.end()
  })
})
