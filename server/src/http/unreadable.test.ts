import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import Type from 'typebox'
import { afterEach, describe, expect, it } from 'vitest'
import type { Route } from './product.ts'
import { listen } from './server.ts'
import { sampleRoutes, testServer, testVenue, WITH_KEY } from './testing.ts'

// What reaches the server as bytes: requests that its parser refuses, and such as never arrive whole.

let app: FastifyInstance | undefined
afterEach(async () => {
  await app?.close()
  app = undefined
})

const port = () => ((app as FastifyInstance).server.address() as AddressInfo).port

/** Sends bytes and reads the answer until the server closes. */
async function exchange(bytes: string) {
  const socket = connect(port(), '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.write(bytes)
  await once(socket, 'close')
  const [head = '', body = ''] = text.split('\r\n\r\n', 2)
  return { status: Number(head.split(' ')[1]), head, body: JSON.parse(body) }
}

describe('what the parser refuses', () => {
  it.each([
    ['a header without a colon', 'GET /svc/api/v1/items HTTP/1.1\r\nhost\r\n\r\n', 400],
    ['headers that are too long', `GET /svc/api/v1/items HTTP/1.1\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['no request at all', 'what is this\r\n\r\n', 400],
  ])('%s is answered in the product’s envelope', async (_name, bytes, status) => {
    app = await testServer(sampleRoutes([]))
    await listen(app, { host: '127.0.0.1', port: 0 })
    const answer = await exchange(bytes)
    expect([answer.status, answer.body.ok]).toEqual([status, false])
    expect(answer.head).toContain('x-error-reason: request_unreadable')
    expect(answer.head).toContain(`x-request-id: ${answer.body.id}`)
  })

  it('outside of the products it is answered plainly', async () => {
    app = await testServer(sampleRoutes([]))
    await listen(app, { host: '127.0.0.1', port: 0 })
    const answer = await exchange('GET /other HTTP/1.1\r\nhost\r\n\r\n')
    expect(answer.body).toMatchObject({ statusCode: 400, error: 'Bad Request' })
  })
})

describe('what the parser refuses behind a request that is in work', () => {
  it.each([
    ['a body without a length', 'DELETE', '{"gasLimit":1}'],
    ['a broken request', 'POST', 'GET /svc/api/v1/items HTTP/1.1\r\nhost\r\n\r\n'],
    ['a broken body', 'POST', 'POST /svc/api/v1/items HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'],
  ])(
    '%s ends the connection without an answer, which would be taken for that request’s',
    async (_name, method, rest) => {
      const entered = Promise.withResolvers<void>()
      const gone = Promise.withResolvers<void>()
      const route: Route = {
        method: method as Route['method'],
        path: '/api/v1/work',
        summary: 'works',
        access: 'WRITABLE',
        schema: { data: Type.Any() },
        async handler() {
          entered.resolve()
          await gone.promise
          return 'done'
        },
      }
      app = await testServer([route])
      await listen(app, { host: '127.0.0.1', port: 0 })
      const socket = connect(port(), '127.0.0.1')
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk
      })
      socket.on('error', () => {})
      socket.write(`${method} /svc/api/v1/work HTTP/1.1\r\nhost: a\r\nx-test-key: yes\r\n\r\n${rest}`)
      await once(socket, 'close')
      await entered.promise
      gone.resolve()
      expect(text).toBe('')
    },
  )
})

it('an upload that the client aborts is no failure of the venue: in metrics and log', async () => {
  const metrics = new Registry()
  const lines: string[] = []
  const venue = testVenue({ log: pino({ level: 'info' }, { write: (line: string) => void lines.push(line) }) })
  const health = { notReady: async () => [], status: async () => ({}), metrics }
  app = await testServer(sampleRoutes([]), { venue, health })
  await listen(app, { host: '127.0.0.1', port: 0 })
  const socket = connect(port(), '127.0.0.1')
  await once(socket, 'connect')
  const head = 'POST /svc/api/v1/items HTTP/1.1\r\nhost: x\r\nx-test-key: yes\r\ncontent-length: 1000\r\n\r\n{"half":'
  await new Promise((resolve) => socket.write(head, resolve))
  while ((await new Promise<number>((resolve) => app?.server.getConnections((_error, count) => resolve(count)))) === 0);
  socket.resetAndDestroy()
  let text = ''
  while (!text.includes('http_request_duration_seconds_count{')) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    text = await metrics.metrics()
  }
  expect(text).toContain('route="/api/v1/items",status="400"')
  expect(text).not.toContain('status="500"')
  await app.close()
  app = undefined
  expect(lines.join('')).toContain('request_aborted')
  expect(lines.join('')).not.toMatch(/internal_error|failed unexpectedly/)
})

it('a connection that something else resets while a request is handled is not taken for the client’s', async () => {
  const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  const route: Route = {
    method: 'POST',
    path: '/api/v1/stored',
    summary: 'stores',
    access: 'WRITABLE',
    schema: { body: Type.Object({}), data: Type.Any() },
    async handler() {
      // As when the database goes away: what was to be stored may be there by now.
      throw reset
    },
  }
  app = await testServer([route])
  await listen(app, { host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${port()}/svc/api/v1/stored`
  const headers = { ...WITH_KEY, 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: '{}' })
  expect(answer.status).toBe(500)
  expect(answer.headers.get('x-error-reason')).toBe('internal_error')
})

it.each([
  ['::', /^http:\/\/\[::1\]:\d+$/],
  ['0.0.0.0', /^http:\/\/127\.0\.0\.1:\d+$/],
  ['::1', /^http:\/\/\[::1\]:\d+$/],
])('the URL of a server that listens on %s can be used', async (host, form) => {
  app = await testServer(sampleRoutes([]))
  const url = await listen(app, { host, port: 0 })
  expect(url).toMatch(form)
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
})
