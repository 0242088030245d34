import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Route } from './product.ts'
import { drain, listen } from './server.ts'
import { testServer } from './testing.ts'

const ANSWER = 'x'.repeat(500_000)
const REQUEST = 'GET /svc/api/v1/long HTTP/1.1\r\nhost: a\r\n\r\n'

let app: FastifyInstance
let port: number
/** Connections of this test, as the server has them and has lost them. */
let opened: Socket[]
let closed: number
const clients: Socket[] = []

beforeEach(async () => {
  const route: Route = {
    method: 'GET',
    path: '/api/v1/long',
    summary: '',
    access: 'PUBLIC',
    schema: { data: Type.Any() },
    handler: () => ANSWER,
  }
  app = await testServer([route], { untakenLimitBytes: 16_000_000 })
  opened = []
  closed = 0
  app.server.on('connection', (socket: Socket) => {
    opened.push(socket)
    socket.once('close', () => closed++)
  })
  port = Number(new URL(await listen(app, { host: '127.0.0.1', port: 0 })).port)
})
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy()
  await drain(app, 1000)
})

/** Asks so many times at once, and reads nothing. */
function ask(times: number): Socket {
  const client = connect(port, '127.0.0.1').pause()
  client.on('error', () => {})
  clients.push(client)
  client.write(REQUEST.repeat(times))
  return client
}

/** Reads whole answers, so many. */
async function read(client: Socket, answers: number): Promise<void> {
  let bytes = 0
  client.on('data', (chunk) => (bytes += chunk.length))
  client.resume()
  await expect.poll(() => bytes, { timeout: 60_000 }).toBeGreaterThan(answers * ANSWER.length)
}

describe('a client that does not read', () => {
  it('is cut off once more waits for it, over all its connections, than it may leave; what they held counts no longer', async () => {
    for (let nth = 0; nth < 3; nth++) ask(30)
    await expect.poll(() => closed, { timeout: 60_000 }).toBeGreaterThan(0)
    for (const client of clients) client.destroy()
    await expect.poll(() => closed, { timeout: 60_000 }).toBe(3)
    await read(ask(20), 20)
  })

  it('is cut off after a minute in which nothing passed, whatever waits', async () => {
    expect(app.server.timeout).toBe(60_000)
    app.server.timeout = 200
    ask(20)
    await expect.poll(() => closed, { timeout: 60_000 }).toBe(1)
  })
})

describe('a client that reads', () => {
  it('gets every answer, be they more in all than may wait', async () => {
    const client = ask(20)
    for (let nth = 1; nth < 5; nth++) {
      await read(client, 20)
      client.write(REQUEST.repeat(20))
    }
    await read(client, 20)
    client.write(REQUEST.replace('host', 'connection: close\r\nhost'))
    await once(client, 'close')
    expect(client.bytesRead).toBeGreaterThan(101 * ANSWER.length)
  })
})
