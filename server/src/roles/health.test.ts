import { Registry } from 'prom-client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeReport } from '../chain/follow/status.ts'
import { createPool, type Sql } from '../db/pool.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { startWire, type Wire } from '../db/testing-wire.ts'
import { createHealthServer } from '../http/health.ts'
import type { Venue } from '../http/product.ts'
import { testVenue } from '../http/testing.ts'
import { openHealth, type ProcessHealth } from './health.ts'

// What /readyz, /status and /metrics say while PostgreSQL, Redis or the chain node is away or hangs.

const CHAIN_ID = 31_337
/** Two limits, and room for a busy machine. */
const PATIENCE_MS = 6000

let db: TestDatabase
let wire: Wire
let sql: Sql
let health: ProcessHealth
let server: ReturnType<typeof createHealthServer>
let chain: () => Promise<unknown>
let redis: () => Promise<string>

beforeEach(async () => {
  db = await testDatabase()
  wire = await startWire(db.url)
  sql = createPool({ url: wire.url, maxConnections: 2, applicationName: 'test' })
  chain = async () => '0x7a69'
  redis = async () => 'PONG'
  const rpc = { call: () => chain() } as unknown as Venue['rpc']
  const venue = testVenue({ sql, rpc, clock: { nowMs: () => Date.now() } })
  const metrics = new Registry()
  health = openHealth({ venue, metrics }, { set: () => redis() }, [])
  server = createHealthServer(health, venue.log)
  await writeReport(db.sql, CHAIN_ID, { state: 'following', reason: null, headNumber: 12n })
})
afterEach(async () => {
  await server.close()
  await health.close()
  await wire.close()
  await sql.end({ timeout: 0 })
  await db.drop()
})

async function ask(url: string): Promise<{ status: number; text: string }> {
  const before = performance.now()
  const { statusCode, body } = await server.inject(url)
  expect(performance.now() - before).toBeLessThan(PATIENCE_MS)
  return { status: statusCode, text: body }
}

async function readiness(): Promise<[number, string[]]> {
  const { status, text } = await ask('/readyz')
  return [status, JSON.parse(text).reasons]
}

const never = () => new Promise<never>(() => {})
const ups = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/^bourse_dependency_up{dependency="(\w+)"} (\d)$/gm)].map(([, name, up]) => [name, up]),
  )

describe('readiness', () => {
  it('is a yes while everything answers', async () => {
    expect(await readiness()).toEqual([200, []])
    const { text } = await ask('/metrics')
    expect(ups(text)).toEqual({ postgresql: '1', redis: '1', chain: '1' })
    expect(text).toMatch(/^bourse_ready 1$/m)
  })

  it.each([
    ['is cut off', () => wire.cut(true), () => wire.cut(false)],
    ['hangs', async () => wire.hang(true), async () => wire.hang(false)],
  ] as const)('names a database that %s, never hangs, and is a yes again after it', async (_how, begin, end) => {
    await readiness()
    await begin()
    expect(await readiness()).toEqual([503, ['postgresql does not answer']])
    expect(await ask('/status')).toMatchObject({ status: 503, text: '{"error":"the database does not answer"}' })
    const { status, text } = await ask('/metrics')
    expect([status, ups(text)]).toEqual([200, { postgresql: '0', redis: '1', chain: '1' }])
    expect(text).toMatch(/^bourse_ready 0$/m)
    expect(text).not.toMatch(/^bourse_indexed_block \d/m)
    expect((await ask('/status')).status).toBeGreaterThanOrEqual(500)
    expect(await ask('/livez')).toEqual({ status: 200, text: '{"status":"ok"}' })
    await end()
    await expect.poll(readiness, { timeout: 20_000 }).toEqual([200, []])
  })

  it('is told by a busy pool from a database that is away', async () => {
    const busy = [sql`select pg_sleep(4)`, sql`select pg_sleep(4)`].map((query) => query.catch(() => {}))
    expect(await readiness()).toEqual([200, []])
    await Promise.all(busy)
  })

  it.each([
    ['fails', () => Promise.reject(new Error('away'))],
    ['hangs', never],
  ])('names Redis and the chain node when each %s', async (_how, fails) => {
    redis = fails
    expect(await readiness()).toEqual([503, ['redis does not answer']])
    chain = fails
    expect(await readiness()).toEqual([503, ['redis does not answer', 'chain does not answer']])
    expect(ups((await ask('/metrics')).text)).toEqual({ postgresql: '1', redis: '0', chain: '0' })
  })

  it('ends before the process does', async () => {
    health.stopping()
    expect(await readiness()).toEqual([503, ['this process is stopping']])
    expect((await ask('/livez')).status).toBe(200)
  })
})
