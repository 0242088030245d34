import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sleep } from '../lib/clock.ts'
import { inSession, openLockSession, setLease } from './lock-session.ts'
import { withLeadership } from './locks.ts'
import { createPool, inTransaction, ownConnection, type Sql } from './pool.ts'
import { type TestDatabase, testDatabase } from './testing.ts'
import { startWire as startPooler } from './testing-wire.ts'
import { isTransientDatabaseError } from './transient.ts'

/** A heartbeat that no machine is too slow to answer in time: a leadership ends where a test ends it, not before. */
const STEADY = { retryMs: 20, heartbeatMs: 60_000, leaseMs: 600_000 }
const WAIT_MS = 50_000

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve())))

async function until(isTrue: () => boolean): Promise<void> {
  const deadline = Date.now() + WAIT_MS
  while (!isTrue()) {
    if (Date.now() > deadline) throw new Error('it did not come to that')
    await sleep(5)
  }
}

/** A contender that stays the leader until it is told to stop. */
function contend(name: string) {
  const controller = new AbortController()
  const state = { terms: 0, isLeader: false }
  const run = withLeadership(
    database.sql,
    name,
    controller.signal,
    async ({ signal }) => {
      state.terms++
      state.isLeader = true
      await untilAborted(signal)
      state.isLeader = false
    },
    STEADY,
  )
  const stop = () => {
    controller.abort()
    return run
  }
  return { state, stop }
}

async function heldLocks(): Promise<bigint> {
  const [locks] = await database.sql<{ count: bigint }[]>`
    select count(*) as count from pg_locks l join pg_database d on d.oid = l.database
    where l.locktype = 'advisory' and d.datname = current_database()`
  return locks?.count ?? 0n
}

/** A relay before PostgreSQL that can stop passing anything on, with its connections open. */
async function startWire(databaseUrl: string) {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let isSilent = false
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('data', (data) => isSilent || to.write(data))
      from.on('error', () => {})
      from.on('close', () => to.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    fallSilent() {
      isSilent = true
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

const killSessions = () => database.sql`
  select pg_terminate_backend(l.pid) from pg_locks l join pg_database d on d.oid = l.database
  where l.locktype = 'advisory' and d.datname = current_database()`

describe('leadership', () => {
  it('has one holder, and passes to a standby when that one stops', async () => {
    const first = contend('a')
    await until(() => first.state.isLeader)
    const second = contend('a')
    const other = contend('b')
    await until(() => other.state.isLeader)
    // Long enough for the second to have tried: should it wrongly lead, `terms` would say so at the end too.
    await sleep(100)
    expect(second.state).toEqual({ terms: 0, isLeader: false })
    await first.stop()
    expect(first.state.isLeader).toBe(false)
    await until(() => second.state.isLeader)
    expect([first.state.terms, second.state.terms]).toEqual([1, 1])
    await second.stop()
    await other.stop()
  })

  it('ends with its session: the work is told, and the process contends again', async () => {
    const first = contend('c')
    await until(() => first.state.isLeader)
    await killSessions()
    await until(() => first.state.terms === 2 && first.state.isLeader)
    await first.stop()
    expect(first.state).toEqual({ terms: 2, isLeader: false })
  })

  it('waits for a session that says nothing as for a connection that is lost', async () => {
    const wire = await startWire(database.url)
    const pool = createPool({ url: wire.url, maxConnections: 1, applicationName: 'silent' })
    const session = openLockSession(pool)
    await setLease(session, 10_000)
    wire.fallSilent()
    const failure: unknown = await inSession(session, session.connection`select 1`, 100).catch((error) => error)
    expect([isTransientDatabaseError(failure), session.lost.aborted]).toEqual([true, true])
    wire.close()
    await pool.end({ timeout: 0 })
  })

  it('ends when its session falls silent, though nothing says that it is lost', async () => {
    const wire = await startWire(database.url)
    const pool = createPool({ url: wire.url, maxConnections: 1, applicationName: 'silent' })
    const controller = new AbortController()
    let ended = false
    const run = withLeadership(
      pool,
      'silent',
      controller.signal,
      async ({ signal }) => {
        wire.fallSilent()
        await untilAborted(signal)
        ended = true
        controller.abort()
      },
      { retryMs: 20, heartbeatMs: 50 },
    )
    await run
    expect(ended).toBe(true)
    wire.close()
    await pool.end({ timeout: 0 })
  })

  it.each([
    ['a frozen process, whose session stays open', false],
    ['one behind a pooler that keeps a connection’s settings to itself', true],
  ])('leaves %s, within the lease, and what that one writes on waking fails', async (_who, isPooled) => {
    const leaseMs = 1500
    const pooler = await startPooler(database.url, { dropsSettings: true })
    await database.sql`create table leader_marks (id bigint generated always as identity, leader text)`
    const marks = async (leader: string) =>
      (await database.sql<{ n: number }[]>`select count(*)::int as n from leader_marks where leader = ${leader}`)[0]?.n
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, 'testing-leader.ts'), isPooled ? pooler.url : database.url, 'frozen', String(leaseMs)],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    let said = ''
    child.stdout.on('data', (text) => {
      said += text
    })
    const ended = once(child, 'exit')
    await expect.poll(() => marks('child'), { timeout: WAIT_MS }).toBeGreaterThan(0)
    child.kill('SIGSTOP')
    const controller = new AbortController()
    const frozenAt = performance.now()
    let tookOverMs = 0
    await withLeadership(
      database.sql,
      'frozen',
      controller.signal,
      async ({ sql }) => {
        tookOverMs = performance.now() - frozenAt
        const before = await marks('child')
        child.kill('SIGCONT')
        await ended
        expect(await marks('child')).toBe(before)
        await inTransaction(sql, (tx) => tx`insert into leader_marks (leader) values ('standby')`)
      },
      { leaseMs: 60_000, retryMs: 50 },
    )
    expect(tookOverMs).toBeGreaterThan(0)
    expect(await marks('standby')).toBe(1)
    expect(said).toMatch(/\S/)
    await database.sql`drop table leader_marks`
    await pooler.close()
  })

  it('is not tried for where the session does not keep its lease, as behind a pooler in transaction mode', async () => {
    const [one, two] = [ownConnection(database.sql), ownConnection(database.sql)]
    let statements = 0
    const changing = (...statement: Parameters<Sql>) => (statements++ % 2 === 0 ? one : two)(...statement)
    const session = { ...openLockSession(database.sql), connection: changing as unknown as Sql }
    await expect(setLease(session, 5000)).rejects.toThrow('did not keep idle_session_timeout = 5000, it has 0')
    await Promise.all([one.end(), two.end(), session.close()])
  })

  it('says once why it cannot be had, and is had as soon as it can', async () => {
    const pooler = await startPooler(database.url)
    await pooler.cut(true)
    const pool = createPool({ url: pooler.url, maxConnections: 1, applicationName: 'cut-off' })
    const { signal } = new AbortController()
    const said: unknown[] = []
    const log = { warn: (...line: unknown[]) => void said.push(line[1]) }
    const leads = withLeadership(pool, 'cut-off', signal, async () => {}, { retryMs: 20, log })
    await expect.poll(() => said.length, { timeout: WAIT_MS }).toBe(1)
    // Several more attempts.
    await sleep(200)
    await pooler.cut(false)
    await leads
    expect(said).toEqual(['the leadership cut-off cannot be had and is tried again'])
    await pool.end({ timeout: 1 })
    await pooler.close()
  })

  it('is had from the successor of a database that has vanished without a word', async () => {
    const wire = await startPooler(database.url)
    const pool = createPool({ url: wire.url, maxConnections: 1, applicationName: 'vanished' })
    const first = contend('vanished')
    await until(() => first.state.isLeader)
    const { signal } = new AbortController()
    let leads = false
    const work = async () => {
      leads = true
    }
    const standby = withLeadership(pool, 'vanished', signal, work, { retryMs: 20, heartbeatMs: 60_000, leaseMs: 1000 })
    // It has asked for the lock.
    await until(() => wire.exchanges() > 3)
    wire.abandon()
    await first.stop()
    await standby
    expect(leads).toBe(true)
    await pool.end({ timeout: 0 })
    await wire.close()
  })

  it('fails when the work hangs for long after the leadership, as in a question to a database that has vanished', async () => {
    const wire = await startPooler(database.url)
    const pool = createPool({ url: wire.url, maxConnections: 1, applicationName: 'stuck' })
    const { signal } = new AbortController()
    const work = async () => {
      await pool`select 1`
      wire.abandon()
      await pool`select 1`
    }
    const led = withLeadership(pool, 'stuck', signal, work, {
      retryMs: 20,
      heartbeatMs: 50,
      leaseMs: 60_000,
      endMs: 100,
    })
    await expect(led).rejects.toThrow('the work of stuck has not ended 100 ms after its leadership was lost')
    await pool.end({ timeout: 0 })
    await wire.close()
  })

  it('is free again when the work ends or fails', async () => {
    const { signal } = new AbortController()
    await expect(
      withLeadership(database.sql, 'd', signal, () => Promise.reject(new Error('no')), STEADY),
    ).rejects.toThrow('no')
    let ran = false
    await withLeadership(
      database.sql,
      'd',
      signal,
      async () => {
        ran = true
      },
      STEADY,
    )
    expect(ran).toBe(true)
    // A session that was told to end does so in its own time.
    await expect.poll(heldLocks, { timeout: WAIT_MS }).toBe(0n)
  })
})
