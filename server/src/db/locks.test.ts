import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sleep } from '../lib/clock.ts'
import { withLeadership } from './locks.ts'
import { type TestDatabase, testDatabase } from './testing.ts'

const QUICK = { retryMs: 20, heartbeatMs: 50 }

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve())))

async function until(isTrue: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000
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
    async (signal) => {
      state.terms++
      state.isLeader = true
      await untilAborted(signal)
      state.isLeader = false
    },
    QUICK,
  )
  const stop = () => {
    controller.abort()
    return run
  }
  return { state, stop }
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
    await sleep(100)
    expect(second.state).toEqual({ terms: 0, isLeader: false })
    await first.stop()
    expect(first.state.isLeader).toBe(false)
    await until(() => second.state.isLeader)
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

  it('is free again when the work ends or fails', async () => {
    const { signal } = new AbortController()
    await expect(
      withLeadership(database.sql, 'd', signal, () => Promise.reject(new Error('no')), QUICK),
    ).rejects.toThrow('no')
    let ran = false
    await withLeadership(
      database.sql,
      'd',
      signal,
      async () => {
        ran = true
      },
      QUICK,
    )
    expect(ran).toBe(true)
    const [locks] = await database.sql`
      select count(*) as count from pg_locks l join pg_database d on d.oid = l.database
      where l.locktype = 'advisory' and d.datname = current_database()`
    expect(locks?.count).toBe(0n)
  })
})
