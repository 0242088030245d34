import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { AppError } from '../lib/errors.ts'
import { defineRoute, type Route } from './product.ts'
import { httpReasons } from './reasons.ts'
import type { Scheme } from './scheme.ts'
import { testMount, testServer, testVenue } from './testing.ts'

const NOW_MS = 1_700_000_000_000
const WINDOW_MS = 30_000

/** A scheme without nonces: a request is known by its signature, which is whatever `x-sign` says. */
const scheme: Scheme = {
  authenticate: async ({ headers }) => ({ keyId: String(headers['x-key']), access: 'WRITABLE', userAddress: null }),
  repetition: ({ headers }) => ({ id: String(headers['x-sign']), untilMs: nowMs + WINDOW_MS }),
}

let nowMs: number
let db: TestDatabase
let done: string[]
/** What a handler waits for before it ends. */
let gate: Promise<void>
const servers: FastifyInstance[] = []

beforeEach(async () => {
  nowMs = NOW_MS
  db = await testDatabase()
  done = []
  gate = Promise.resolve()
})
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
  await db.drop()
})

const routes: Route[] = [
  defineRoute({
    method: 'POST',
    path: '/api/v1/orders',
    summary: 'a write',
    access: 'WRITABLE',
    schema: { body: Type.Object({ size: Type.String() }), data: Type.Any() },
    async handler({ body, caller, idempotency }) {
      done.push(`${caller.keyId} ${body.size}`)
      await gate
      if (body.size === 'final' && idempotency) {
        idempotency.replayed = true
        throw new AppError(httpReasons.request_invalid, 'not sent')
      }
      if (body.size === 'busy') throw new AppError(httpReasons.stopping, 'not now', { retryAfterSec: 3 })
      if (body.size === '0') throw new AppError(httpReasons.request_invalid, `refused after ${done.length}`)
      return { number: done.length }
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/v1/orders',
    summary: 'a read',
    access: 'READ_ONLY',
    schema: { data: Type.Any() },
    handler: async () => ({ number: done.push('read') }),
  }),
]

/** One api process of several over one database. */
async function serve(): Promise<FastifyInstance> {
  const venue = testVenue({ sql: db.sql, clock: { nowMs: () => nowMs } })
  const server = await testServer([], { mounts: [testMount(routes, { scheme })], venue })
  servers.push(server)
  return server
}

const post = (server: FastifyInstance, sign: string, size = '1', key = 'k', idempotencyKey: string | null = sign) =>
  server.inject({
    method: 'POST',
    url: '/svc/api/v1/orders',
    payload: JSON.stringify({ size }),
    headers: {
      'content-type': 'application/json',
      'x-key': key,
      'x-sign': sign,
      ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
    },
  })

describe('a write without a nonce', () => {
  it('is carried out once, and its first answer given again by every process', async () => {
    const [one, two] = [await serve(), await serve()]
    const first = await post(one, 's1')
    expect(first.json().data).toEqual({ number: 1 })
    expect(first.headers['idempotent-replayed']).toBeUndefined()
    for (const server of [one, two]) {
      const again = await post(server, 's1')
      expect([again.statusCode, again.payload]).toEqual([200, first.payload])
      expect(again.headers['idempotent-replayed']).toBe('true')
    }
    expect(done).toEqual(['k 1'])
  })

  it('is carried out once when it comes to all processes at once', async () => {
    const all = [await serve(), await serve(), await serve()]
    let open = () => {}
    gate = new Promise<void>((resolve) => (open = resolve))
    const answers = all.flatMap((server) => [post(server, 's1'), post(server, 's1')])
    await vi.waitFor(() => expect(done).toHaveLength(1))
    open()
    const texts = (await Promise.all(answers)).map(({ payload }) => payload)
    expect(new Set(texts).size).toBe(1)
    expect(done).toEqual(['k 1'])
  })

  it.each([
    ['under another Idempotency-Key', 'a', 'with another Idempotency-Key'],
    ['without one', null, 'without an Idempotency-Key'],
  ])('that came before %s is not taken for one that was sent again', async (_, before, said) => {
    const [one, two] = [await serve(), await serve()]
    let open = () => {}
    gate = new Promise<void>((resolve) => (open = resolve))
    const first = post(one, 's1', '1', 'k', before)
    await vi.waitFor(() => expect(done).toHaveLength(1))
    // Also while the first one is at work.
    for (const server of [one, two]) {
      const other = await post(server, 's1', '1', 'k', 'b')
      expect([other.statusCode, other.headers['x-error-reason']]).toEqual([400, 'signature_used'])
      expect(other.payload).toContain(said)
      expect(other.headers['idempotent-replayed']).toBeUndefined()
    }
    open()
    const answer = await first
    expect(answer.json().data).toEqual({ number: 1 })
    // The same bytes without the header are no other request.
    for (const again of [before, null]) {
      expect((await post(two, 's1', '1', 'k', again)).payload).toBe(answer.payload)
    }
    expect((await post(two, 's1', '1', 'k', 'b')).headers['x-error-reason']).toBe('signature_used')
    expect(done).toEqual(['k 1'])
  })

  it('that was refused stays refused in the same words', async () => {
    const server = await serve()
    const first = await post(server, 's1', '0')
    const again = await post(server, 's1', '0')
    expect([first.statusCode, again.statusCode]).toEqual([400, 400])
    expect(again.payload).toBe(first.payload)
    expect(again.headers['x-error-reason']).toBe('request_invalid')
    // It would say of an Idempotency-Key that something was accepted under it.
    expect(again.headers['idempotent-replayed']).toBeUndefined()
    expect(done).toHaveLength(1)
  })

  it('that is refused until later is tried anew, also where it came again meanwhile', async () => {
    const [one, two] = [await serve(), await serve()]
    let open = () => {}
    gate = new Promise<void>((resolve) => (open = resolve))
    const both = [one, two].map((server) => post(server, 's1', 'busy'))
    await vi.waitFor(() => expect(done).toHaveLength(1))
    open()
    for (const { headers } of [...(await Promise.all(both)), await post(two, 's1', 'busy')]) {
      expect(headers).toMatchObject({ 'x-error-reason': 'stopping', 'retry-after': '3' })
      expect(headers['idempotent-replayed']).toBeUndefined()
    }
    expect(done).toHaveLength(3)
    expect((await db.sql`select from first_answers`).length).toBe(0)
  })

  it('that an Idempotency-Key has answered already says so each time, a refusal too', async () => {
    const server = await serve()
    for (let nth = 0; nth < 2; nth++) {
      const { headers } = await post(server, 's1', 'final')
      expect([headers['x-error-reason'], headers['idempotent-replayed']]).toEqual(['request_invalid', 'true'])
    }
  })

  it('is another one under another signature, and under the same of another key', async () => {
    const server = await serve()
    await post(server, 's1')
    await post(server, 's2')
    await post(server, 's1', '1', 'other')
    expect(done).toEqual(['k 1', 'k 1', 'other 1'])
  })

  it('whose form is refused takes nothing: the right one is carried out', async () => {
    const server = await serve()
    const headers = { 'content-type': 'application/json', 'x-key': 'k', 'x-sign': 's1' }
    const bad = await server.inject({ method: 'POST', url: '/svc/api/v1/orders', headers, payload: '{"size":1}' })
    expect(bad.statusCode).toBe(400)
    expect((await post(server, 's1')).statusCode).toBe(200)
  })

  it('that was cut off before its answer was kept is not carried out again', async () => {
    const server = await serve()
    // As a process leaves it that was killed while its handler was at work.
    await db.sql`
      insert into first_answers (chain_id, product, api_key_id, repetition_id, keep_until)
      values (31337, 'test', 'k', 's1', now() + interval '1 hour')`
    const again = await post(server, 's1')
    expect(again.headers['x-error-reason']).toBe('first_answer_unknown')
    expect(again.json().message).toContain('look at what it did, then sign a new one')
    expect(done).toEqual([])
  })

  it('is forgotten once no scheme accepts it any more, and not before', async () => {
    const server = await serve()
    await post(server, 's1')
    const kept = async () => (await db.sql`select from first_answers where repetition_id = 's1'`).length
    nowMs += WINDOW_MS + 59_000
    await post(await serve(), 's2')
    expect(await kept()).toBe(1)
    nowMs += 2_000
    await post(await serve(), 's3')
    expect(await kept()).toBe(0)
  })

  it('tells a first answer that cannot be kept to the first caller all the same', async () => {
    const server = await serve()
    gate = db.sql`alter table first_answers drop column body`.then(() => {})
    expect((await post(server, 's1')).json().data).toEqual({ number: 1 })
    await db.sql`alter table first_answers add column body text`
    expect((await post(server, 's1')).headers['x-error-reason']).toBe('first_answer_unknown')
    expect(done).toEqual(['k 1'])
  })
})

describe('a read', () => {
  it('is asked anew each time', async () => {
    const server = await serve()
    const get = () => server.inject({ url: '/svc/api/v1/orders', headers: { 'x-key': 'k', 'x-sign': 's1' } })
    expect([(await get()).json().data.number, (await get()).json().data.number]).toEqual([1, 2])
  })
})
