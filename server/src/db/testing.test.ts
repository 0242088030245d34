import { expect, test } from 'vitest'
import { type TestDatabase, testDatabase } from './testing.ts'

/** Takes a database, changes it, gives it back, and takes one again: the same, unless another file is quicker. */
async function usedAgain(change: (db: TestDatabase) => Promise<unknown>): Promise<TestDatabase> {
  const first = await testDatabase()
  await change(first)
  await first.drop()
  return testDatabase()
}

const oidOf = async ({ sql }: TestDatabase): Promise<number> => {
  const [row] = await sql<{ oid: number }[]>`select oid::int8::int from pg_database where datname = current_database()`
  return row?.oid ?? 0
}

test('a database given back has the rows of the migrations alone for the next, and numbers start anew', async () => {
  const second = await usedAgain(async ({ sql }) => {
    await sql`update api_key_revision set revision = 7`
    await sql`select nextval(pg_get_serial_sequence('operator_audit_log', 'id'))`
  })
  expect((await second.sql`select revision::int from api_key_revision`).map(({ revision }) => revision)).toEqual([0])
  const [row] = await second.sql`select count(*)::int as started from pg_sequences where last_value is not null`
  expect(row?.started).toBe(0)
  await second.drop()
})

test('one whose schema a test changed is made anew', async () => {
  const second = await usedAgain(({ sql }) => sql`create table left_behind (id int)`)
  expect((await second.sql`select to_regclass('left_behind') as found`)[0]?.found).toBeNull()
  await second.drop()
})

test('rows of the migrations that a test deleted are there again', async () => {
  const second = await usedAgain(({ sql }) => sql`delete from schema_version`)
  expect((await second.sql`select from schema_version`).length).toBeGreaterThan(0)
  await second.drop()
})

test('one is used again, unless the role may not empty it', async () => {
  let oid = 0
  const second = await usedAgain(async (db) => {
    oid = await oidOf(db)
  })
  const [role] = await second.sql`select rolsuper as super from pg_roles where rolname = current_user`
  expect((await oidOf(second)) === oid).toBe(role?.super)
  await second.drop()
})

test('two at once are two', async () => {
  const [first, second] = [await testDatabase(), await testDatabase()]
  expect(first.url).not.toBe(second.url)
  await Promise.all([first.drop(), second.drop()])
})
