import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fencedPool, startTerm } from './leadership-terms.ts'
import { inSnapshot, type Sql } from './pool.ts'
import { type TestDatabase, testDatabase } from './testing.ts'

let database: TestDatabase
let leaders: Sql
beforeAll(async () => {
  database = await testDatabase()
  leaders = fencedPool(database.sql, 'snapshot', await startTerm(database.sql, 'snapshot'))
  await database.sql`create table seen (n int)`
})
afterAll(() => database.drop())

describe.each([
  ['any pool', () => database.sql],
  ['a leader’s pool', () => leaders],
])('a snapshot of %s', (_, pool) => {
  it('stays at one moment while others write', async () => {
    await database.sql`delete from seen`
    const counts = await inSnapshot(pool(), async (tx) => {
      const count = async () => (await tx`select from seen`).length
      const before = await count()
      await database.sql`insert into seen values (1)`
      return [before, await count()]
    })
    expect([...counts, (await database.sql`select from seen`).length]).toEqual([0, 0, 1])
  })

  it('cannot write', async () => {
    await expect(inSnapshot(pool(), (tx) => tx`insert into seen values (2)`)).rejects.toThrow('read-only transaction')
  })
})
