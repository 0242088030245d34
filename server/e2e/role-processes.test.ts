import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MIGRATION_LOCK } from '../src/db/migrate.ts'
import { testDatabase } from '../src/db/testing.ts'
import { startWire, type Wire } from '../src/db/testing-wire.ts'
import { freePort } from '../src/lib/free-port.ts'
import { Client, eventually } from './client.ts'
import { createKeyIn } from './keys.ts'
import { spawnVenue, startNode } from './venue.ts'

// Each role in a process of its own: how it tells that it lives and is ready, and how it ends.

const ROLES = ['indexer', 'relayer', 'keeper', 'api'] as const
/** What a process with nothing in flight may take to end: two seconds, and as long again beside other tests. A timer that it waited for has five or more. */
const END_MS = 4000

interface RoleProcess {
  readonly role: string
  readonly health: string
  readonly process: ReturnType<typeof spawnVenue>
}

const undo: (() => Promise<unknown>)[] = []
let roles: RoleProcess[]
let environment: Awaited<ReturnType<typeof startNode>>['environment'] & { readonly DATABASE_URL: string }
let database: Wire
let chain: Wire
let client: Client
let user: string
beforeAll(async () => {
  const node = await startNode()
  undo.push(() => node.chain.stop())
  const own = await testDatabase()
  undo.push(() => own.drop())
  database = await startWire(own.url)
  chain = await startWire(node.chain.rpcUrl)
  undo.push(() => Promise.all([database.close(), chain.close()]))
  environment = { ...node.environment, DATABASE_URL: own.url }
  const port = String(await freePort())
  // What the api stands on can be taken away from it alone.
  const wired = { DATABASE_URL: database.url, CHAIN_RPC_URL: chain.url, PORT: port }
  roles = []
  for (const role of ROLES) {
    const healthPort = await freePort()
    const variables = { ...environment, ROLES: role, HEALTH_PORT: String(healthPort), ...(role === 'api' ? wired : {}) }
    roles.push({ role, health: `http://127.0.0.1:${healthPort}`, process: spawnVenue(variables) })
  }
  undo.push(() => Promise.all(roles.map((one) => one.process.process.kill('SIGKILL'))))
  await of('api').process.ready
  user = node.accounts.users[0]?.address ?? ''
  const key = await createKeyIn({ databaseUrl: own.url, secretsKey: environment.SECRETS_KEY })({
    access: 'WRITABLE',
    user,
  })
  const baseUrls = [`http://127.0.0.1:${port}/stock`]
  client = new Client({ baseUrls, chainId: 31_337, productType: 'Bourse', key })
})
afterAll(async () => {
  for (const step of undo.reverse()) await step()
})

const of = (role: string) => roles.find((one) => one.role === role) as RoleProcess
const readiness = async ({ health }: RoleProcess): Promise<{ status: number; reasons: string[] }> => {
  const answer = await fetch(`${health}/readyz`, { signal: AbortSignal.timeout(10_000) })
  return { status: answer.status, reasons: ((await answer.json()) as { reasons: string[] }).reasons }
}
const metricsOf = async ({ health }: RoleProcess) =>
  (await fetch(`${health}/metrics`, { signal: AbortSignal.timeout(10_000) })).text()
const untilReady = (role: RoleProcess) =>
  eventually(
    () => readiness(role),
    ({ status }) => status === 200,
  )

describe('a process that waits for a migration', () => {
  it('lives, and is not ready before it has its parts', async () => {
    const node = await startNode()
    const own = await testDatabase()
    const healthPort = await freePort()
    const migrating = await own.sql.reserve()
    await migrating`select pg_advisory_lock(${MIGRATION_LOCK})`
    const venue = { ...node.environment, DATABASE_URL: own.url, ROLES: 'indexer', HEALTH_PORT: String(healthPort) }
    const started = spawnVenue(venue)
    const role = { role: 'indexer', health: `http://127.0.0.1:${healthPort}`, process: started }
    try {
      const answered = () => fetch(`${role.health}/livez`).catch(() => null)
      expect((await eventually(answered, (answer) => answer !== null))?.status).toBe(200)
      expect(await readiness(role)).toEqual({ status: 503, reasons: ['this process is starting'] })
      expect(await metricsOf(role)).toContain('process_cpu_seconds_total')
      expect(await (await fetch(`${role.health}/status`)).json()).toEqual({ state: 'starting' })
      await migrating`select pg_advisory_unlock(${MIGRATION_LOCK})`
      await untilReady(role)
      expect(await metricsOf(role)).toContain('bourse_ready 1')
    } finally {
      migrating.release()
      await started.stop()
      await node.chain.stop()
      await own.drop()
    }
  })

  it('says which session it waits for, and ends at SIGTERM without a failure', async () => {
    const own = await testDatabase()
    const migrating = await own.sql.reserve()
    const [mine] = await migrating`select pg_advisory_lock(${MIGRATION_LOCK}), pg_backend_pid() as pid`
    const started = spawnVenue({ ...environment, DATABASE_URL: own.url, ROLES: 'indexer' })
    try {
      const said = (output: string) => output.includes(`session ${mine?.pid} (`) && output.includes('is waited for')
      await eventually(async () => started.output(), said)
      const begunAtMs = performance.now()
      await started.stop()
      expect(performance.now() - begunAtMs).toBeLessThan(END_MS)
      expect(started.process.exitCode).toBe(0)
      expect(started.output()).toContain('Stopped: another process was still migrating the database')
    } finally {
      migrating.release()
      started.process.kill('SIGKILL')
      await own.drop()
    }
  })
})

describe('an api whose chain node does not answer', () => {
  it('ends at SIGTERM while it waits for it, and does not say that it is ready', async () => {
    const away = { CHAIN_RPC_URL: `http://127.0.0.1:${await freePort()}` }
    const port = String(await freePort())
    const own = await testDatabase()
    const started = spawnVenue({ ...environment, ...away, DATABASE_URL: own.url, ROLES: 'api', PORT: port })
    const answered = () => fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null)
    try {
      expect((await eventually(answered, (answer) => answer !== null))?.status).toBe(503)
      const begunAtMs = performance.now()
      await started.stop()
      expect(performance.now() - begunAtMs).toBeLessThan(END_MS)
      expect(started.output()).not.toContain('ready')
    } finally {
      started.process.kill('SIGKILL')
      await own.drop()
    }
  })
})

describe('every role', () => {
  it('tells on a port of its own that it lives, is ready, and how it fares', async () => {
    for (const role of roles) {
      await untilReady(role)
      const alive = await fetch(`${role.health}/livez`)
      expect([role.role, alive.status, await alive.json()]).toEqual([role.role, 200, { status: 'ok' }])
      const text = await metricsOf(role)
      for (const name of ['postgresql', 'chain']) {
        expect(text).toMatch(new RegExp(`^bourse_dependency_up{dependency="${name}"} 1$`, 'm'))
      }
      expect(text).toMatch(/^process_resident_memory_bytes \d+$/m)
      expect((await fetch(`${role.health}/stock/api/v1/config`)).status).toBe(404)
    }
  })
})

describe('the api', () => {
  it('names a database that hangs, and is ready again after it', async () => {
    database.hang(true)
    const seen = await eventually(
      () => readiness(of('api')),
      ({ status }) => status === 503,
    )
    expect(seen.reasons).toEqual(['postgresql does not answer'])
    database.hang(false)
    await untilReady(of('api'))
  })

  it('names a chain node that is away, and counts the requests that fail for it by their reason', async () => {
    const balance = () => client.get(`/api/v1/users/${user}/balance`)
    expect((await balance()).body.code).toBe(200)
    await chain.cut(true)
    expect((await readiness(of('api'))).reasons).toEqual(['chain does not answer'])
    const refused = await balance()
    expect(refused.body.code).toBe(10003)
    expect(refused.headers.get('x-error-reason')).toBe('chain_unreachable')
    const text = await metricsOf(of('api'))
    expect(text).toMatch(/^http_request_failures_total{product="stock",reason="chain_unreachable"} [1-9]/m)
    await chain.cut(false)
    await untilReady(of('api'))
    await eventually(balance, ({ body }) => body.code === 200)
  })
})

describe('SIGTERM', () => {
  it('turns /readyz to 503 before the port closes, and ends each role in time', async () => {
    // In the order in which nobody is left without what it needs.
    for (const role of [...roles].reverse()) {
      const begunAtMs = performance.now()
      const stopped = role.process.stop().then(() => performance.now() - begunAtMs)
      if (role.role === 'api') {
        const told = await eventually(
          () => readiness(role),
          ({ status }) => status === 503,
        )
        expect(told.reasons).toEqual(['this process is stopping'])
        expect((await client.get('/api/v1/config')).body.code).toBe(200)
      }
      expect(await stopped, role.role).toBeLessThan(END_MS)
    }
  })
})
