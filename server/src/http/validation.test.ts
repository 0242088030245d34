import type { FastifyInstance } from 'fastify'
import { afterEach, describe, expect, it } from 'vitest'
import type { RouteRequest } from './product.ts'
import { type SeenRequest, sampleRoutes, testServer, WITH_KEY } from './testing.ts'

const handled: RouteRequest[] = []
const routes = sampleRoutes(handled)
let app: FastifyInstance | undefined

afterEach(async () => {
  handled.length = 0
  await app?.close()
  app = undefined
})

async function post(body: string | Buffer, headers: Record<string, string> = {}) {
  app ??= await testServer(routes)
  const all = { 'content-type': 'application/json', ...WITH_KEY, ...headers }
  return app.inject({ method: 'POST', url: '/svc/api/v1/items', headers: all, payload: body })
}

describe('validation', () => {
  const valid = { side: 'Buy', amount: '1' }

  it.each([
    [{ ...valid, side: 'buy' }, 'side must be one of Buy, Sell, got "buy"'],
    [{ amount: '1' }, 'side is required'],
    [{ ...valid, amount: true }, 'amount must be a string or a number, got true'],
    [{ ...valid, amount: { value: 1 } }, 'amount must be a string or a number'],
    [{ ...valid, deadline: '1893456000' }, 'deadline must be an integer, got "1893456000"'],
    [{ ...valid, deadline: 1.5 }, 'deadline must be an integer, got "1.5"'],
    [{ ...valid, deadline: 4_294_967_296 }, 'deadline must be at most 4294967295, got 4294967296'],
    [{ ...valid, deadline: null }, 'deadline must be an integer, got null'],
    [{ ...valid, colour: 1 }, 'unknown field colour, accepted are side, amount, deadline, nested'],
    [{ ...valid, nested: { y: 1 } }, 'unknown field nested.y, accepted are x'],
    [{ ...valid, nested: { x: 'a' } }, 'nested.x must be an integer, got "a"'],
    [[valid], 'the body must be a JSON object'],
    ['text', 'the body must be a JSON object'],
    [null, 'the body must be a JSON object'],
  ])('%j: %s', async (body, message) => {
    const answer = await post(JSON.stringify(body))
    expect(answer.json()).toMatchObject({ ok: false, message })
    expect(answer.statusCode).toBe(400)
    expect(answer.headers['x-error-reason']).toBe('request_invalid')
    expect(handled).toEqual([])
  })

  it.each([
    ['', {}, 'the body must be a JSON object'],
    ['{', {}, 'not valid JSON'],
    ['{"side":"Buy","side":"Buy","amount":"1"}', {}, 'field "side" is given twice'],
    ['{}', { 'content-type': 'text/plain' }, 'content-type must be application/json'],
    ['{}', { 'content-type': 'application/json; charset=latin1' }, 'content-type must be application/json'],
    ['{}', { 'content-type': 'not a type' }, 'content-type must be application/json'],
    ['{}', { 'content-type': 'application/x-www-form-urlencoded' }, 'content-type must be application/json'],
    ['{}', { 'content-encoding': 'gzip' }, 'content-encoding gzip is not accepted'],
  ])('refuses the body %j %j', async (body, headers, message) => {
    const answer = await post(body, headers as Record<string, string>)
    expect(answer.json().message).toContain(message)
    expect(answer.statusCode).toBe(400)
    expect(handled).toEqual([])
  })

  it('refuses a body over the limit before anything else', async () => {
    const seen: SeenRequest[] = []
    app = await testServer(routes, { seen, bodyLimitBytes: 100 })
    const answer = await post(`{"side":"Buy","amount":"${'1'.repeat(100)}"}`)
    expect(answer.json().message).toBe('the body must be at most 100 bytes long')
    expect(answer.headers['x-error-reason']).toBe('body_too_large')
    expect(seen).toEqual([])
  })

  it.each([
    ['/svc/api/v1/items?page=x', 'page must be an integer, got "x"'],
    ['/svc/api/v1/items?page=1&page=1', 'query parameter "page" is given twice'],
    ['/svc/api/v1/items?other=1', 'unknown parameter other, accepted are page, symbol'],
    ['/svc/api/v1/items?__proto__=1', 'unknown parameter __proto__, accepted are page, symbol'],
    ['/svc/api/v1/items?page=%', 'the query holds a broken percent-encoding: %'],
    ['/svc/api/v1/exact?page=1', 'unknown parameter page: none is accepted here'],
    ['/svc/api/v1/items/ABC', 'id must be text of the form ^[a-z ]+$, got "ABC"'],
  ])('%s: %s', async (url, message) => {
    app = await testServer(routes)
    const answer = await app.inject({ url, headers: WITH_KEY })
    expect(answer.json()).toMatchObject({ ok: false, message })
    expect(handled).toEqual([])
  })

  it('judges a parameter of any length by its schema', async () => {
    app = await testServer(routes)
    const answer = await app.inject({ url: `/svc/api/v1/items/${'A'.repeat(3000)}`, headers: WITH_KEY })
    expect(answer.json().message).toBe('id must be text of the form ^[a-z ]+$')
  })

  it.each(['GET', 'DELETE'] as const)('refuses a body on %s after verifying it', async (method) => {
    const seen: SeenRequest[] = []
    app = await testServer(routes, { seen })
    const answer = await app.inject({ method, url: '/svc/api/v1/items/a', headers: WITH_KEY, payload: '{}' })
    expect(answer.json().message).toBe(`${method} takes no body here`)
    expect(seen[0]?.rawBody.toString()).toBe('{}')
  })

  it('takes nothing or an empty object where an operation has no body', async () => {
    app = await testServer(routes)
    const headers = { ...WITH_KEY, 'content-type': 'application/json' }
    const act = (payload: string) => app?.inject({ method: 'POST', url: '/svc/api/v1/act', headers, payload })
    expect((await act(''))?.statusCode).toBe(200)
    expect((await act(' {} '))?.statusCode).toBe(200)
    expect((await act('{"a":1}'))?.json().message).toBe('this operation takes no body')
    expect((await act('[]'))?.json().message).toBe('this operation takes no body')
  })

  it('does not start with a route outside of its product, or with parameters that no schema names', async () => {
    const [first] = routes
    if (!first) throw new Error('unreachable')
    await expect(testServer([{ ...first, path: '/elsewhere' }])).rejects.toThrow('lies outside of /api/v1')
    await expect(testServer([{ ...first, path: '/api/v1/items/:id' }])).rejects.toThrow('no schema for them')
  })
})
