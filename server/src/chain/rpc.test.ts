import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { freePort } from '../lib/free-port.ts'
import { createRpc, type Rpc, type RpcOptions } from './rpc.ts'
import { isAnswerTooLarge, isTooLarge, RpcError } from './rpc-error.ts'

interface Request {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

let server: Server | null = null
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
  server = null
})

type Respond = (body: Request | Request[], response: ServerResponse, request: IncomingMessage) => void

async function serve(respond: Respond, options: Partial<RpcOptions> = {}): Promise<Rpc> {
  server = createServer(async (request, response) => {
    respond(JSON.parse(Buffer.concat(await request.toArray()).toString()), response, request)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return createRpc({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-key`, ...options })
}

const json = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const result = ({ id }: Request, value: unknown) => ({ jsonrpc: '2.0', id, result: value })
const failure = ({ id }: Request, code: number, message: string, data?: unknown) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message, data },
})
const one = (body: Request | Request[]): Request => (Array.isArray(body) ? (body[0] as Request) : body)
const caught = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  )
const reads = (count: number) => Array.from({ length: count }, (_, index) => ({ method: 'read', params: [index] }))

describe('a call', () => {
  it('gives the result, null included', async () => {
    const rpc = await serve((body, response) =>
      json(response, result(one(body), one(body).method === 'a' ? '0x1' : null)),
    )
    expect([await rpc.call('a'), await rpc.call('b')]).toEqual(['0x1', null])
  })

  it('fails with the code, message and data of the node', async () => {
    const rpc = await serve((body, response) =>
      json(response, failure(one(body), 3, 'execution reverted', '0x08c379a0')),
    )
    const error = await caught(rpc.call('eth_call', [{}]))
    expect(error).toBeInstanceOf(RpcError)
    expect(error).toMatchObject({
      failure: 'rpc_error',
      method: 'eth_call',
      message: 'eth_call: execution reverted (3)',
      rpc: { code: 3, message: 'execution reverted', data: '0x08c379a0' },
    })
  })

  it('keeps no more of what a contract reverts with than an error has', async () => {
    const long = `0x${'ab'.repeat(2 ** 20)}`
    const rpc = await serve((body, response) =>
      json(
        response,
        failure(one(body), -32000, `execution reverted: ${long}`, one(body).method === 'a' ? long : { data: long }),
      ),
    )
    const kept = `0x${'ab'.repeat(4096)}`
    for (const [method, data] of [
      ['a', kept],
      ['b', { data: kept }],
    ] as const) {
      const error = (await caught(rpc.call(method))) as RpcError
      expect(error.rpc?.data).toEqual(data)
      expect(error.detail.data).toEqual(data)
      expect(error.message.length).toBeLessThan(10_000)
    }
  })

  it('reads the error object of an HTTP error answer too', async () => {
    const rpc = await serve((body, response) => json(response, failure(one(body), -32005, 'rate limited'), 429))
    expect(await caught(rpc.call('a'))).toMatchObject({
      failure: 'rpc_error',
      rpc: { code: -32005, message: 'rate limited' },
    })
  })

  it('tells an HTTP error, malformed answers and answers without a result apart', async () => {
    const answers: [number, string][] = [
      [502, '<html>'],
      [200, '<html>'],
      [200, '{}'],
      [200, ''],
    ]
    let count = 0
    const rpc = await serve((_, response) => {
      const [status, text] = answers[count++] ?? [500, '']
      response.writeHead(status).end(text)
    })
    expect(await caught(rpc.call('a'))).toMatchObject({ failure: 'rpc_http_status', httpStatus: 502 })
    for (let index = 0; index < 3; index++)
      expect(await caught(rpc.call('a'))).toMatchObject({ failure: 'rpc_malformed' })
  })

  it('that reaches nobody is certain not to have been delivered', async () => {
    const rpc = createRpc({ url: `http://127.0.0.1:${await freePort()}` })
    const error = await caught(rpc.call('eth_sendRawTransaction', ['0x']))
    expect(error).toMatchObject({ failure: 'rpc_unreachable' })
  })

  it('that finds no connection in time is certain not to have been delivered', async () => {
    const silent = createTcpServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const error = await caught(createRpc({ url, timeoutMs: 50 }).call('a'))
    expect(error).toMatchObject({ failure: 'rpc_unreachable' })
    silent.close()
  })

  it('that breaks off or times out may have been delivered, and is made once', async () => {
    const seen: string[] = []
    const rpc = await serve((body, response, request) => {
      const { method } = one(body)
      seen.push(method)
      if (method === 'break') request.socket.destroy()
      if (method === 'hello') json(response, result(one(body), null))
    })
    const broken = await caught(rpc.call('break'))
    // The one that hangs goes out at once, on a connection that is there: its time cannot pass before it is sent.
    await rpc.call('hello')
    const late = await caught(rpc.call('hang', [], { timeoutMs: 250 }))
    expect([broken, late]).toMatchObject([{ failure: 'rpc_interrupted' }, { failure: 'rpc_timeout' }])
    await expect.poll(() => seen, { timeout: 30_000 }).toContain('hang')
    expect(seen).toEqual(['break', 'hello', 'hang'])
  })

  it('times out while the answer is still coming', async () => {
    const rpc = await serve((_, response) => void response.writeHead(200).write('{"jsonrpc"'))
    expect(await caught(rpc.call('a', [], { timeoutMs: 50 }))).toMatchObject({ failure: 'rpc_timeout' })
  })

  it('reads an answer that comes compressed, as it asks for', async () => {
    const rpc = await serve((body, response, request) => {
      const text = JSON.stringify(result(one(body), request.headers['accept-encoding']))
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text))
    })
    expect(await rpc.call('a')).toBe('gzip')
  })

  it.each([
    ['as it is', (text: string) => Buffer.from(text), {}],
    ['compressed', (text: string) => gzipSync(text), { 'content-encoding': 'gzip' }],
  ])('takes no more bytes of an answer that comes %s than it may have', async (_, bytesOf, headers) => {
    const rpc = await serve((body, response) => {
      const [length] = one(body).params as [number]
      response.writeHead(200, headers).end(bytesOf(JSON.stringify(result(one(body), 'x'.repeat(length)))))
    })
    const options = { maxAnswerBytes: 1000 }
    expect(await rpc.call('a', [900], options)).toHaveLength(900)
    const error = await caught(rpc.call('a', [2 ** 20], options))
    expect(error).toMatchObject({ failure: 'rpc_too_large', rpc: null })
    expect([isTooLarge(error), isAnswerTooLarge(error)]).toEqual([true, true])
    expect(await rpc.call('a', [2 ** 20])).toHaveLength(2 ** 20)
  })

  it('ends the connection of an answer that is too long, however long it would go on', async () => {
    const ended = Promise.withResolvers<void>()
    const rpc = await serve((_, response) => {
      response.writeHead(200).on('close', ended.resolve)
      const go = () => void (!response.destroyed && response.write('x'.repeat(500), () => setImmediate(go)))
      go()
    })
    expect(await caught(rpc.call('a', [], { maxAnswerBytes: 1000 }))).toMatchObject({ failure: 'rpc_too_large' })
    await ended.promise
  })

  it('ends with the reason of an abort', async () => {
    const rpc = await serve(() => {})
    const reason = new Error('shutting down')
    const controller = new AbortController()
    setTimeout(() => controller.abort(reason), 20)
    expect(await caught(rpc.call('a', [], { signal: controller.signal }))).toBe(reason)
    expect(await caught(rpc.outcomes([{ method: 'a', params: [] }], { signal: controller.signal }))).toBe(reason)
  })

  it('never shows the path of the address, which may hold a key', async () => {
    const rpc = await serve((_, __, request) => request.socket.destroy())
    expect(String(await caught(rpc.call('a')))).not.toContain('secret')
  })
})

describe('a batch', () => {
  it('puts answers that come in another order to their calls, over several requests', async () => {
    const sizes: number[] = []
    const rpc = await serve(
      (body, response) => {
        const calls = body as Request[]
        sizes.push(calls.length)
        json(response, calls.map((call) => result(call, call.params[0])).reverse())
      },
      { maxBatch: 4 },
    )
    expect(await rpc.batch(reads(10))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(sizes.sort()).toEqual([2, 4, 4])
    expect(await rpc.batch([])).toEqual([])
  })

  it('splits what the node finds too large, and gives up on a single call', async () => {
    const sizes: number[] = []
    const rpc = await serve((body, response) => {
      const calls = Array.isArray(body) ? body : [body]
      sizes.push(calls.length)
      const tooLarge = calls.length > 2 || calls.some((call) => call.params[0] === 99)
      if (tooLarge) json(response, failure(one(body), -32003, 'response too large'))
      else
        json(
          response,
          Array.isArray(body)
            ? calls.map((call) => result(call, call.params[0]))
            : result(one(body), one(body).params[0]),
        )
    })
    expect(await rpc.batch(reads(5))).toEqual([0, 1, 2, 3, 4])
    expect(sizes).toEqual([5, 3, 2, 1, 2])
    expect(await caught(rpc.batch([{ method: 'read', params: [99] }]))).toMatchObject({ rpc: { code: -32003 } })
  })

  it('splits what has more bytes than an answer may have', async () => {
    const sizes: number[] = []
    const rpc = await serve((body, response) => {
      const calls = Array.isArray(body) ? body : [body]
      sizes.push(calls.length)
      const answers = calls.map((call) => result(call, 'x'.repeat(300)))
      json(response, Array.isArray(body) ? answers : answers[0])
    })
    expect(await rpc.batch(reads(4), { maxAnswerBytes: 1000 })).toHaveLength(4)
    expect(sizes).toEqual([4, 2, 2])
  })

  it('fails with the first failure, and an answer that is missing is one', async () => {
    const rpc = await serve((body, response) =>
      json(
        response,
        (body as Request[]).slice(1).map((call) => result(call, 1)),
      ),
    )
    expect(await caught(rpc.batch(reads(3)))).toMatchObject({ failure: 'rpc_malformed', method: 'read' })
  })

  it('keeps to the concurrency over all batches of the client', async () => {
    let [seen, most] = [0, 0]
    const held: (() => void)[] = []
    const rpc = await serve(
      (body, response) => {
        held.push(() =>
          json(
            response,
            (body as Request[]).map((call) => result(call, 1)),
          ),
        )
        most = Math.max(most, held.length)
        // Answered when three wait, or the last; a little later, so that a fourth would be noticed.
        if (++seen % 3 === 0 || seen === 10) setTimeout(() => held.splice(0).map((answer) => answer()), 20)
      },
      { maxBatch: 2, concurrency: 3 },
    )
    await Promise.all([rpc.batch(reads(10)), rpc.batch(reads(10))])
    expect([seen, most]).toEqual([10, 3])
  })
})

describe('settled calls', () => {
  it('have an outcome each, in one attempt, even when the node finds them too large', async () => {
    let requests = 0
    const rpc = await serve((body, response) => {
      requests++
      json(
        response,
        (body as Request[]).map((call) =>
          call.params[0] === 1 ? failure(call, -32000, 'response too large') : result(call, 'ok'),
        ),
      )
    })
    const outcomes = await rpc.outcomes(reads(3))
    expect(outcomes.map((outcome) => (outcome.ok ? outcome.value : outcome.error.rpc?.code))).toEqual([
      'ok',
      -32000,
      'ok',
    ])
    expect(requests).toBe(1)
  })

  it('share the failure of their request', async () => {
    const rpc = await serve((_, __, request) => request.socket.destroy())
    const outcomes = await rpc.outcomes(reads(2))
    expect(outcomes).toMatchObject([
      { ok: false, error: { failure: 'rpc_interrupted' } },
      { ok: false, error: { failure: 'rpc_interrupted' } },
    ])
  })
})

describe('the wordings of too large', () => {
  const error = (message: string) =>
    new RpcError('rpc_error', 'eth_getLogs', message, { rpc: { code: -32005, message } })

  it.each([
    'query returned more than 10000 results',
    'query exceeds max block range 1000',
    'exceed maximum block range: 5000',
    'block range is too large',
    'block range too wide',
    'Block range limit exceeded. See more details',
    'eth_getLogs is limited to a 10,000 range',
    'Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size',
    'You can make eth_getLogs requests with up to a 10 block range.',
    'eth_getLogs range is too large, max is 1k blocks',
    'requested too many blocks from 1 to 20000, maximum is set to 2048',
    'query timeout exceeded',
    'query timed out',
    'response too large',
    'response size exceeded the limit',
    'batch too large',
    'logs matched by query exceeds limit of 10000',
  ])('hold for: %s', (message) => {
    expect(isTooLarge(error(message))).toBe(true)
  })

  it.each([
    'unknown block',
    'daily request count exceeded, request rate limited',
    'execution reverted',
    'nonce too low',
    'intrinsic gas too low',
    'exceeds block gas limit',
    'max fee per gas less than block base fee',
    'header not found',
    'too many requests',
    'transaction underpriced',
    'gas limit too high',
  ])('do not hold for: %s', (message) => {
    expect(isTooLarge(error(message))).toBe(false)
  })

  it('are of the answer, and not of the time that it took', () => {
    expect(isAnswerTooLarge(error('response exceeds size limit'))).toBe(true)
    expect(isAnswerTooLarge(error('request timed out'))).toBe(false)
    expect(isTooLarge(error('request timed out'))).toBe(true)
  })

  it('hold for HTTP 413, and not for other failures', () => {
    expect(isTooLarge(new RpcError('rpc_http_status', 'a', 'HTTP 413', { httpStatus: 413 }))).toBe(true)
    expect(isTooLarge(new RpcError('rpc_http_status', 'a', 'HTTP 502', { httpStatus: 502 }))).toBe(false)
    expect(isTooLarge(new Error('block range is too large'))).toBe(false)
  })
})
