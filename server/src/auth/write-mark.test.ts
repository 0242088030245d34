import { afterEach, beforeEach, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { storedWriteMark } from './write-mark.ts'

let db: TestDatabase
beforeEach(async () => {
  db = await testDatabase()
})
afterEach(() => db.drop())

it('has every write below it before the write goes on, and is stored once for many', async () => {
  const mark = storedWriteMark(db.sql)
  const nowMs = Date.now()
  await Promise.all([0, 1, 2, 3].map((ms) => mark.cover(nowMs + ms)))
  const first = await mark.read()
  expect(first).toBeGreaterThan(nowMs + 3)
  expect(mark.cover(first - 1)).toBeUndefined()
  await mark.cover(first)
  expect(await mark.read()).toBeGreaterThan(first)
})

it('is of all processes, and is never lowered', async () => {
  const [one, other] = [storedWriteMark(db.sql), storedWriteMark(db.sql)]
  const nowMs = Date.now()
  await one.cover(nowMs + 40_000)
  await other.cover(nowMs)
  expect(await other.read()).toBeGreaterThan(nowMs + 40_000)
  // The second has learnt of it.
  expect(other.cover(nowMs + 39_000)).toBeUndefined()
})

it('is never read below what this process has stored, though the database has lost that', async () => {
  const mark = storedWriteMark(db.sql)
  const nowMs = Date.now()
  await mark.cover(nowMs + 40_000)
  await db.sql`update write_mark set below_ms = ${String(nowMs)}::bigint`
  expect(await mark.read()).toBeGreaterThan(nowMs + 40_000)
})

it('begins with the time at which it was made', async () => {
  const madeMs = await storedWriteMark(db.sql).read()
  expect(madeMs).toBeLessThanOrEqual(Date.now())
  expect(madeMs).toBeGreaterThan(1_700_000_000_000)
})

it('rejects while the database does not answer, and goes on after it', async () => {
  await db.sql`alter table write_mark rename to away`
  const mark = storedWriteMark(db.sql)
  await expect(mark.cover(Date.now())).rejects.toThrow()
  await db.sql`alter table away rename to write_mark`
  await mark.cover(Date.now())
  expect(mark.cover(Date.now() - 1)).toBeUndefined()
})
