import { once } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { drain, listen } from './server.ts'
import type { StreamProtocol } from './stream-message.ts'
import { testMount, testServer, testVenue } from './testing.ts'
import { MEMORY_HINT, MemorySource } from './testing-stream.ts'

/** Plain `ping`, numbered requests with a method, and acknowledgements: nothing as in the venue's own protocol. */
const protocol: StreamProtocol = {
  parse(text) {
    if (text === 'ping') return { op: 'ping', id: null }
    const { id, method, params } = JSON.parse(text)
    if (method === 'SUBSCRIBE') return { op: 'subscribe', channel: params.type, from: null, id }
    if (method === 'UNSUBSCRIBE') return { op: 'unsubscribe', channel: params.type, id }
    return { wrong: 'method must be SUBSCRIBE or UNSUBSCRIBE', id }
  },
  accepted: ({ id }) => JSON.stringify({ id, result: 'success' }),
  snapshot: (channel, { dataJson }) => (channel === 'quiet' ? null : `{"stream":"${channel}","data":${dataJson}}`),
  resumed: () => null,
  delta: (channel, { dataJson }) => `{"stream":"${channel}","data":${dataJson}}`,
  unsubscribed: ({ id }) => JSON.stringify({ id, result: 'success' }),
  repeated: (channel) => (channel === 'exact' ? 'restarts' : 'joins'),
  heartbeat: () => null,
  pong: () => 'pong',
  error: (_reason, message, { id }) => JSON.stringify({ id, result: message }),
  closing: () => null,
}

/** A client that is silent for two of them is cut, however busy the machine is. */
const HEARTBEAT_MS = 1000

let database: TestDatabase
let source: MemorySource
let app: Awaited<ReturnType<typeof testServer>>
let url: string
const sockets: WebSocket[] = []

beforeEach(async () => {
  database = await testDatabase()
  source = new MemorySource()
  const stream = { path: '/v4/public/ws', access: 'PUBLIC', protocol, open: () => source } as const
  const owns = [{ path: '/v4/public/ws', unknown: 'public' }] as const
  app = await testServer([], {
    mounts: [testMount([], { prefix: '', owns, stream })],
    venue: testVenue({ sql: database.sql }),
    streams: {
      limits: { connectionsPerKey: 2, channelsPerConnection: 3, bufferBytes: 65_536, heartbeatMs: HEARTBEAT_MS },
      // Nobody here has a key: none can end.
      isKeyLive: () => false,
    },
  })
  url = `${(await listen(app, { host: '127.0.0.1', port: 0 })).replace('http', 'ws')}/v4/public/ws`
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate()
  await drain(app, 1000)
  await database.drop()
})

async function connect() {
  const socket = new WebSocket(url)
  sockets.push(socket)
  const seen: string[] = []
  socket.on('message', (data) => seen.push(data.toString()))
  await once(socket, 'open')
  const ask = (message: object | string) => socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  const until = (count: number) => vi.waitFor(() => expect(seen.length).toBeGreaterThanOrEqual(count), 30_000)
  return { socket, seen, ask, until }
}

describe('a stream with a protocol of its own', () => {
  it('is followed without a key, in its own words alone', async () => {
    const { seen, ask, until } = await connect()
    source.push('trades', '1')
    ask('ping')
    ask({ id: 7, method: 'SUBSCRIBE', params: { type: 'trades' } })
    await until(3)
    source.push('trades', '2')
    await database.sql`select pg_notify(${MEMORY_HINT}, '')`
    await until(4)
    ask({ id: 8, method: 'SUBSCRIBE', params: { type: 'none' } })
    ask({ id: 9, method: 'LIST', params: {} })
    ask({ id: 10, method: 'UNSUBSCRIBE', params: { type: 'trades' } })
    await until(7)
    // Longer than several heartbeats of the venue's own protocol would take.
    await new Promise((resolve) => setTimeout(resolve, 3 * HEARTBEAT_MS))
    expect(seen).toEqual([
      'pong',
      '{"id":7,"result":"success"}',
      '{"stream":"trades","data":[1]}',
      '{"stream":"trades","data":2}',
      '{"id":8,"result":"there is no channel none"}',
      '{"id":9,"result":"method must be SUBSCRIBE or UNSUBSCRIBE"}',
      '{"id":10,"result":"success"}',
    ])
  })

  it('may begin a channel without a snapshot', async () => {
    const { seen, ask, until } = await connect()
    ask({ id: 1, method: 'SUBSCRIBE', params: { type: 'quiet' } })
    await until(1)
    source.push('quiet', '5')
    await until(2)
    expect(seen).toEqual(['{"id":1,"result":"success"}', '{"stream":"quiet","data":5}'])
  })

  describe('that may be subscribed again', () => {
    const subscribe = (id: number, type: string) => ({ id, method: 'SUBSCRIBE', params: { type } })
    const unsubscribe = (id: number, type: string) => ({ id, method: 'UNSUBSCRIBE', params: { type } })
    const push = async (channel: string, dataJson: string) => {
      source.push(channel, dataJson)
      await database.sql`select pg_notify(${MEMORY_HINT}, '')`
    }

    it('tells each message once, until it is unsubscribed as often', async () => {
      const { seen, ask, until } = await connect()
      source.push('trades', '1')
      ask(subscribe(1, 'trades'))
      ask(subscribe(2, 'trades'))
      await until(4)
      ask(unsubscribe(3, 'trades'))
      await until(5)
      await push('trades', '2')
      await until(6)
      expect(source.released).toEqual([])
      ask(unsubscribe(4, 'trades'))
      ask(unsubscribe(5, 'trades'))
      await until(8)
      expect(source.released).toEqual(['trades'])
      expect(seen).toEqual([
        '{"id":1,"result":"success"}',
        '{"stream":"trades","data":[1]}',
        '{"id":2,"result":"success"}',
        '{"stream":"trades","data":[1]}',
        '{"id":3,"result":"success"}',
        '{"stream":"trades","data":2}',
        '{"id":4,"result":"success"}',
        '{"id":5,"result":"this connection does not follow trades"}',
      ])
    })

    it('begins a channel of exact sequences anew', async () => {
      const { seen, ask, until } = await connect()
      ask(subscribe(1, 'exact'))
      await until(2)
      await push('exact', '1')
      await until(3)
      ask(subscribe(2, 'exact'))
      await until(5)
      await push('exact', '2')
      await until(6)
      expect(seen.slice(3)).toEqual([
        '{"id":2,"result":"success"}',
        '{"stream":"exact","data":[1]}',
        '{"stream":"exact","data":2}',
      ])
    })

    it('goes on as it was where the second cannot be answered', async () => {
      const { seen, ask, until } = await connect()
      ask(subscribe(1, 'trades'))
      await until(2)
      vi.spyOn(source, 'snapshot').mockRejectedValueOnce(new Error('the node is away'))
      ask(subscribe(2, 'trades'))
      await until(4)
      await push('trades', '1')
      await until(5)
      ask(unsubscribe(3, 'trades'))
      ask(unsubscribe(4, 'trades'))
      await until(7)
      expect(seen.slice(2)).toEqual([
        '{"id":2,"result":"success"}',
        '{"id":2,"result":"internal error: subscribe again"}',
        '{"stream":"trades","data":1}',
        '{"id":3,"result":"success"}',
        '{"id":4,"result":"this connection does not follow trades"}',
      ])
    })
  })

  it('names every request of a channel of exact sequences that could not begin anew', async () => {
    const { seen, ask, until } = await connect()
    const askFor = (id: number, method: string) => ask({ id, method, params: { type: 'exact' } })
    askFor(1, 'SUBSCRIBE')
    await until(2)
    vi.spyOn(source, 'snapshot').mockRejectedValueOnce(new Error('the node is away'))
    askFor(2, 'SUBSCRIBE')
    await until(5)
    askFor(3, 'UNSUBSCRIBE')
    askFor(4, 'SUBSCRIBE')
    await until(8)
    expect(seen.slice(2)).toEqual([
      '{"id":2,"result":"success"}',
      '{"id":1,"result":"internal error: subscribe again"}',
      '{"id":2,"result":"internal error: subscribe again"}',
      '{"id":3,"result":"this connection does not follow exact"}',
      '{"id":4,"result":"success"}',
      '{"stream":"exact","data":[]}',
    ])
  })

  it('names the requests whose channel it can tell no more', async () => {
    const { seen, ask, until } = await connect()
    for (const id of [1, 2]) ask({ id, method: 'SUBSCRIBE', params: { type: 'trades' } })
    await until(4)
    vi.spyOn(source, 'snapshot').mockRejectedValueOnce(new Error('the node is away'))
    source.push('trades', '1')
    source.keptFrom = 9n
    await database.sql`select pg_notify(${MEMORY_HINT}, '')`
    await until(6)
    expect(seen.slice(4)).toEqual([
      '{"id":1,"result":"internal error: subscribe again"}',
      '{"id":2,"result":"internal error: subscribe again"}',
    ])
  })

  it('gives an address so many connections, and another one as it ends', async () => {
    const [first] = [await connect(), await connect()]
    const third = new WebSocket(url)
    third.on('error', () => {})
    const [, response] = await once(third, 'unexpected-response')
    let body = ''
    for await (const chunk of response) body += chunk
    expect([response.statusCode, response.headers['x-error-reason']]).toEqual([429, 'too_many_connections'])
    expect(JSON.parse(body).message).toContain('an address may have 2 connections')
    first?.socket.close()
    await vi.waitFor(async () => expect((await connect()).socket.readyState).toBe(WebSocket.OPEN), 30_000)
  })
})
