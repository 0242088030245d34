import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Route } from './product.ts'
import { drain, listen } from './server.ts'
import { type SeenRequest, testServer } from './testing.ts'

let app: FastifyInstance
let port: number
let seen: SeenRequest[]
let release: () => void
let started: Promise<void>

beforeEach(async () => {
  seen = []
  const gate = Promise.withResolvers<void>()
  const entered = Promise.withResolvers<void>()
  release = gate.resolve
  started = entered.promise
  const route = { access: 'READ_ONLY', summary: '', schema: { data: Type.Any() } } as const
  const routes: Route[] = [
    { ...route, method: 'GET', path: '/api/v1/quick', handler: async () => 'quick' },
    {
      ...route,
      method: 'GET',
      path: '/api/v1/slow',
      async handler() {
        entered.resolve()
        await gate.promise
        return 'slow'
      },
    },
  ]
  app = await testServer(routes, { seen })
  port = Number(new URL(await listen(app, { host: '127.0.0.1', port: 0 })).port)
})

afterEach(async () => {
  release()
  await drain(app, 1000)
})

async function open(): Promise<{ socket: Socket; text: () => string; closed: Promise<void> }> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await new Promise((resolve) => socket.once('connect', resolve))
  return { socket, text: () => text, closed }
}

/** Tries to connect; the error's code, or null when it was accepted. */
function dial(): Promise<string | null> {
  const socket = connect(port, '127.0.0.1')
  return new Promise((resolve) => {
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'))
    socket.once('connect', () => {
      socket.destroy()
      resolve(null)
    })
  })
}

/** Everything the server answers until it closes the connection. */
async function exchange(bytes: string): Promise<string> {
  const { socket, text, closed } = await open()
  socket.write(bytes, 'latin1')
  await closed
  return text()
}

const KEY = 'Host: x\r\nx-test-key: yes\r\n'
const CLOSE = 'Connection: close\r\n\r\n'

describe('malformed HTTP', () => {
  it.each([
    ['nonsense', 'hello\r\n\r\n', 400],
    ['no host', 'GET /svc/api/v1/quick HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['an unknown method', 'BREW /svc/api/v1/quick HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n', 400],
    ['a space before the colon', 'GET / HTTP/1.1\r\nHost: x\r\nx-api-key : a\r\n\r\n', 400],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: x\r\nx-api-key: a\0b\r\n\r\n', 400],
    ['a bare newline in a header', 'GET / HTTP/1.1\r\nHost: x\r\nx-api-key: a\nb\r\n\r\n', 400],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
    ['a negative length', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400],
    [
      'length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['a broken chunk', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n', 400],
    ['headers without end', `GET / HTTP/1.1\r\nHost: x\r\nx-long: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['an endless request line', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
  ])('%s is refused and the server lives on', async (_name, bytes, status) => {
    expect(await exchange(bytes)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(seen).toEqual([])
    expect(await exchange(`GET /svc/api/v1/quick HTTP/1.1\r\n${KEY}${CLOSE}`)).toContain('"data":"quick"')
  })
})

describe('request targets on the wire', () => {
  it.each([
    ['http://anywhere/svc/api/v1/quick', '/api/v1/quick', '"data":"quick"'],
    ['http://anywhere/svc/api/v1/quick?', '/api/v1/quick?', '"data":"quick"'],
    ['/svc/api/v1/quick#x', '/api/v1/quick#x', 'must not hold a fragment'],
    ['//svc/api/v1/quick', undefined, '404 Not Found'],
    ['http://anywhere', undefined, '404 Not Found'],
    ['*', undefined, '404 Not Found'],
  ])('%s', async (target, uri, answer) => {
    expect(await exchange(`GET ${target} HTTP/1.1\r\n${KEY}${CLOSE}`)).toContain(answer)
    expect(seen.map((request) => request.uri)).toEqual(uri === undefined ? [] : [uri])
  })

  it('joins a header that is sent twice, for the scheme to refuse', async () => {
    await exchange(`GET /svc/api/v1/quick HTTP/1.1\r\n${KEY}x-api-key: a\r\nX-Api-Key: b\r\n${CLOSE}`)
    expect(seen[0]?.headers['x-api-key']).toBe('a, b')
  })

  it('counts and authenticates every method', async () => {
    for (const method of ['PROPFIND', 'PURGE', 'TRACE', 'SEARCH']) {
      const answer = await exchange(`${method} /svc/api/v1/quick HTTP/1.1\r\nHost: x\r\n${CLOSE}`)
      expect(answer).toContain('"message":"no"')
      expect(answer.toLowerCase()).toContain('ratelimit-remaining')
    }
    expect(seen.map((request) => request.access)).toEqual(Array(4).fill('WRITABLE'))
  })

  it('reads a chunked body whole', async () => {
    const chunks = '3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n'
    await exchange(
      `POST /svc/api/v1/none HTTP/1.1\r\n${KEY}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunks}`,
    )
    expect(seen[0]?.rawBody.toString()).toBe('{"a":1}')
  })
})

describe('an upgrade behind a request that is not answered yet', () => {
  const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n'

  it.each(['/livez', '/svc/api/v1/quick', '/svc/api/v1/slow', '/svc/api/v1/none', '/none'])(
    'after %s is cut off, and the server lives on',
    async (first) => {
      const request = `GET ${first} HTTP/1.1\r\n${KEY}\r\n`
      expect(await exchange(`${request}GET / HTTP/1.1\r\nHost: x\r\n${UPGRADE}`)).not.toContain('101')
      expect(await exchange(`GET /svc/api/v1/quick HTTP/1.1\r\n${KEY}${CLOSE}`)).toContain('"data":"quick"')
    },
  )

  it('is answered after an answer on the same connection', async () => {
    const { socket, text, closed } = await open()
    socket.write(`GET /svc/api/v1/quick HTTP/1.1\r\n${KEY}\r\n`)
    while (!text().includes('"data":"quick"')) await delay(5)
    socket.write(`GET /svc/api/v1/none HTTP/1.1\r\n${KEY}${UPGRADE}what follows is no WebSocket`)
    await closed
    expect(text()).toContain('no operation has this method and path')
  })
})

describe('a body over the limit', () => {
  const MOST = 1_048_576
  const post = (header: string) => `POST /svc/api/v1/none HTTP/1.1\r\n${KEY}${header}\r\n\r\n`

  it.each([
    ['of a stated length', `Content-Length: ${2 * MOST}`, '', 'x'.repeat(2 * MOST), ''],
    [
      'in chunks',
      'Transfer-Encoding: chunked',
      `${(MOST + 1).toString(16)}\r\n${'x'.repeat(MOST + 1)}`,
      '',
      '\r\n0\r\n\r\n',
    ],
  ])(
    '%s is refused to a client that still sends, and its connection goes on',
    async (_name, header, over, rest, end) => {
      const { socket, text, closed } = await open()
      socket.write(post(header) + over)
      while (!text().includes('the body must be at most')) await delay(5)
      socket.write(`${rest}${end}GET /svc/api/v1/quick HTTP/1.1\r\n${KEY}${CLOSE}`)
      await closed
      expect(text()).toContain('"data":"quick"')
      expect(seen).toHaveLength(1)
    },
  )
})

describe('drain', () => {
  it('finishes what is in flight, accepts nothing new, then resolves', async () => {
    const slow = await open()
    slow.socket.write(`GET /svc/api/v1/slow HTTP/1.1\r\n${KEY}\r\n`)
    await started
    let drained = false
    const draining = drain(app, 60_000).then(() => {
      drained = true
    })
    while ((await dial()) !== 'ECONNREFUSED') await delay(5)
    expect(drained).toBe(false)
    release()
    await draining
    await slow.closed
    expect(slow.text()).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*"data":"slow"/i)
  })

  it('does not wait for idle connections', async () => {
    const idle = await open()
    idle.socket.write(`GET /svc/api/v1/quick HTTP/1.1\r\n${KEY}\r\n`)
    while (!idle.text().includes('"data":"quick"')) await delay(5)
    await drain(app, 60_000)
    await idle.closed
    expect(idle.text()).toContain('200 OK')
  })

  it('cuts what does not end in its time', async () => {
    const stuck = await open()
    stuck.socket.write(`GET /svc/api/v1/slow HTTP/1.1\r\n${KEY}\r\n`)
    const silent = await open()
    await started
    await drain(app, 100)
    await stuck.closed
    await silent.closed
    expect(stuck.text()).toBe('')
  })
})
