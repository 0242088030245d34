import { expect, test } from 'vitest'
import { mayEmpty, type TestDatabase, testDatabase } from './testing.ts'

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

test('tables that a test made and triggers that it put on others are gone, and the database is the same', async () => {
  let oid = 0
  const second = await usedAgain(async (db) => {
    oid = await oidOf(db)
    await db.sql`create trigger undo_truncate before truncate on stock_orders for each statement execute function undo_refuse()`
    await db.sql`
      create table broker_executions_2026_08 partition of broker_executions for values from ('2026-08-01') to ('2026-09-01')`
    await db.sql`create table left_behind (key text references api_keys)`
  })
  const [row] = await second.sql`
    select to_regclass('broker_executions_2026_08') as partition, to_regclass('left_behind') as table,
      (select count(*) from pg_trigger where tgrelid = 'stock_orders'::regclass and tgname = 'undo_truncate')::int as undo`
  expect(row).toEqual({ partition: null, table: null, undo: 0 })
  expect((await oidOf(second)) === oid).toBe(await mayEmpty(second.sql))
  await second.drop()
})

test.each([
  'alter table stock_orders add column more int',
  'create or replace function undo_block() returns text[] language sql as $$ select null::text[] $$',
  'alter table stock_orders add constraint more check (chain_id > 0)',
  'create index more on stock_orders (chain_id)',
  'alter table operator_audit_log disable trigger user',
  'drop table stock_fills cascade',
])('a database after "%s" is made anew', async (change) => {
  let oid = 0
  const second = await usedAgain(async (db) => {
    oid = await oidOf(db)
    await db.sql.unsafe(change)
  })
  expect(await oidOf(second)).not.toBe(oid)
  await second.drop()
})

test('one is used again, unless the role may not empty it', async () => {
  let oid = 0
  const second = await usedAgain(async (db) => {
    oid = await oidOf(db)
  })
  expect((await oidOf(second)) === oid).toBe(await mayEmpty(second.sql))
  await second.drop()
})

test('two at once are two', async () => {
  const [first, second] = [await testDatabase(), await testDatabase()]
  expect(first.url).not.toBe(second.url)
  await Promise.all([first.drop(), second.drop()])
})

const pidOf = async ({ sql }: TestDatabase): Promise<number> => {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
  return row?.pid ?? 0
}

test('sessions are used again, without what a test set, locked and created in them', async () => {
  let pid = 0
  const second = await usedAgain(async (db) => {
    pid = await pidOf(db)
    await db.sql`set statement_timeout = 1000`
    await db.sql`create temporary table left_behind (id int)`
    await db.sql`select pg_advisory_lock(1)`
  })
  const [row] = await second.sql`
    select current_setting('statement_timeout') as timeout, to_regclass('left_behind') as table,
      (select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()) as locks`
  expect(row).toEqual({ timeout: '30s', table: null, locks: 0 })
  expect((await pidOf(second)) === pid).toBe(await mayEmpty(second.sql))
  await second.drop()
})

test('where a test leaves a transaction open, its sessions end with it', async () => {
  let pid = 0
  const left = Promise.withResolvers<void>()
  let transaction: Promise<unknown> | undefined
  const second = await usedAgain(async (db) => {
    await new Promise<void>((resolve) => {
      transaction = db.sql.begin(async (tx) => {
        pid = (await tx<{ pid: number }[]>`select pg_backend_pid() as pid`)[0]?.pid ?? 0
        resolve()
        await left.promise
      })
      transaction.catch(() => {})
    })
  })
  expect(await second.sql`select from pg_stat_activity where pid = ${pid}`).toHaveLength(0)
  left.resolve()
  await expect(transaction).rejects.toThrow()
  await second.drop()
})

test('a test that has given its database back no longer reaches it', async () => {
  const first = await testDatabase()
  const later = first.sql`select from pg_sleep(0.1)`.then((rows) => rows.length)
  await first.drop()
  await expect(later).resolves.toBe(1)
  await expect(first.sql`select`).rejects.toThrow('CONNECTION_ENDED')
  await expect(first.sql.begin((tx) => tx`select`)).rejects.toThrow('CONNECTION_ENDED')
})

test('a test may end its pool itself', async () => {
  const second = await usedAgain(({ sql }) => sql.end())
  expect(await pidOf(second)).toBeGreaterThan(0)
  await second.drop()
})

test('what a test listens to is heard no more by the next', async () => {
  const heard: string[] = []
  const second = await usedAgain(({ sql }) => sql.listen('left_behind', (payload) => heard.push(payload)))
  await second.sql.notify('left_behind', 'to nobody')
  const own = await second.sql.listen('left_behind', () => {})
  await second.sql.notify('left_behind', 'to the second')
  await own.unlisten()
  expect(heard).toEqual([])
  await second.drop()
})
