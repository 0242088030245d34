import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { MIGRATION_LOCK, MigrationStopped, migrate } from './migrate.ts'
import { createPool, ownConnection, type Sql } from './pool.ts'
import { type TestDatabase, testDatabase } from './testing.ts'
import { startWire } from './testing-wire.ts'

let database: TestDatabase
let sql: Sql
beforeEach(async () => {
  database = await testDatabase()
  sql = database.sql
})
afterEach(() => database.drop())

const LIMIT_MS = 1000

const versions = async () =>
  (await sql`select version::int as version from schema_version order by version`).map(({ version }) => version)
const columns = async () =>
  (await sql`select from information_schema.columns where table_name = 'tx_intents' and column_name = 'least_gas'`)
    .length

/** As the database was before migration 233, which adds a column. */
async function takeBack(): Promise<void> {
  await sql`alter table tx_intents drop column least_gas`
  await sql`delete from schema_version where version = 233`
}

test('a migration that came with a number below the newest is made up for, and nothing is run twice', async () => {
  const before = await versions()
  await takeBack()
  await migrate(database.url)
  expect(await versions()).toEqual(before)
  expect(await columns()).toBe(1)
  await migrate(database.url)
  expect(await versions()).toEqual(before)
})

test('a database that a newer version has migrated is refused as it is, with what is not known of it', async () => {
  await takeBack()
  const foreign = [10_001, 10_002]
  for (const version of foreign) {
    await sql`insert into schema_version (version, name, md5, run_at) values (${version}, 'of-tomorrow', '', now())`
  }
  const before = await versions()
  await expect(migrate(database.url)).rejects.toThrow(
    'this database has migrations that this version of the venue does not know: 10001 (of-tomorrow), 10002 (of-tomorrow). Nothing was changed',
  )
  expect([await versions(), await columns()]).toEqual([before, 0])
  await sql`delete from schema_version where version in ${sql(foreign)}`
  await migrate(database.url)
  expect(await columns()).toBe(1)
})

/** A product's folder with one migration, which makes the table `shop`. */
async function shopFolder(version: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bourse-migrations-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeShop(folder, SHOP, version)
  return folder
}

const SHOP = 'create table shop (id int)'
const writeShop = (folder: string, text: string, version = 9000) =>
  writeFile(join(folder, `${version}.do.shop.sql`), text)

const hasShop = async () => (await sql`select from pg_tables where tablename = 'shop'`).length > 0

test('a product that joins brings the migrations of its folder, and later ones of the venue are still made up for', async () => {
  const before = await versions()
  const folders = [await shopFolder(9000)]
  await migrate(database.url, { folders })
  expect([await versions(), await hasShop()]).toEqual([[...before, 9000], true])
  await takeBack()
  await migrate(database.url, { folders })
  expect([await versions(), await columns()]).toEqual([[...before, 9000], 1])
})

test('a venue without a product does not start on the database of one that has it', async () => {
  await migrate(database.url, { folders: [await shopFolder(9000)] })
  await takeBack()
  const before = await versions()
  await expect(migrate(database.url, { folders: [] })).rejects.toThrow(
    'does not know: 9000 (shop). Nothing was changed',
  )
  expect([await versions(), await hasShop(), await columns()]).toEqual([before, true, 0])
})

test('a migration that was edited after it was run stops the start, before anything else is run, with its name and the ways out', async () => {
  const folder = await shopFolder(9000)
  await migrate(database.url, { folders: [folder] })
  await takeBack()
  await writeShop(folder, 'create table shop (id bigint)')
  const refused = expect(migrate(database.url, { folders: [folder] })).rejects
  await refused.toThrow(
    `these migrations are not what they were when they were run on this database: 9000.do.shop.sql. Nothing was changed: restore the files as they were released and make the change in a migration of its own, or say that the database is right as it is (docs/operations.md#updating)`,
  )
  expect(await columns()).toBe(0)
  await writeShop(folder, SHOP)
  await migrate(database.url, { folders: [folder] })
  expect(await columns()).toBe(1)
})

test('line ends are no change of a migration, however it was run and is found', async () => {
  const folder = await shopFolder(9000)
  const lines = { LF: `${SHOP};\n-- its end\n`, CRLF: `${SHOP};\r\n-- its end\r\n` }
  await writeShop(folder, lines.CRLF)
  await migrate(database.url, { folders: [folder] })
  await writeShop(folder, lines.LF)
  await migrate(database.url, { folders: [folder] })
  // As versions noted it that read the file as it was.
  await sql`update schema_version set md5 = md5(${lines.CRLF}::text) where version = 9000`
  await migrate(database.url, { folders: [folder] })
  await writeShop(folder, lines.CRLF)
  await migrate(database.url, { folders: [folder] })
  expect((await versions()).at(-1)).toBe(9000)
})

test('a database of before the comment of a released migration was changed starts, and has the digest of now from then on', async () => {
  const digest = async () => (await sql`select md5 from schema_version where version = 131`)[0]?.md5
  const now = await digest()
  await sql`update schema_version set md5 = '3ed9caabdaab5e64c0581030c7ba2e58' where version = 131`
  await migrate(database.url)
  expect(await digest()).toBe(now)
})

test('a migration without a digest is taken as it is found, and not otherwise from then on', async () => {
  const folder = await shopFolder(9000)
  await migrate(database.url, { folders: [folder] })
  await writeShop(folder, 'create table shop (id bigint)')
  await sql`update schema_version set md5 = null where version = 9000`
  await sql`update schema_version set md5 = '' where version = 233`
  await migrate(database.url, { folders: [folder] })
  expect(await sql`select from schema_version where version > 0 and coalesce(md5, '') = ''`).toHaveLength(0)
  await writeShop(folder, SHOP)
  await expect(migrate(database.url, { folders: [folder] })).rejects.toThrow('9000.do.shop.sql')
})

test('two products with a migration of the same number stop the start, and so does a folder that is not there', async () => {
  await takeBack()
  const before = await versions()
  const folders = [await shopFolder(9000), await shopFolder(9000)]
  await expect(migrate(database.url, { folders })).rejects.toThrow('Two migrations found with version 9000')
  const gone = join(await shopFolder(9000), 'gone')
  await expect(migrate(database.url, { folders: [gone] })).rejects.toThrow(gone)
  expect([await versions(), await hasShop()]).toEqual([before, false])
})

test('a process that ends while its migration runs leaves none that was run and is not noted', async () => {
  const before = await versions()
  await takeBack()
  const wire = await startWire(database.url)
  const holder = ownConnection(sql)
  let killed: Promise<unknown> = Promise.resolve()
  let pid: number | undefined
  await holder.begin(async (tx) => {
    await tx`lock table tx_intents`
    killed = migrate(wire.url, { lockMs: 60_000 }).catch((error: unknown) => error)
    await vi.waitFor(async () => expect(await waiting()).toHaveLength(1), 20_000)
    pid = (await waiting())[0]
    // The server goes on with what it was given; the process hears of it no more and says nothing more.
    wire.hang(true)
  })
  await vi.waitFor(async () => expect(await isAtWork(pid)).toBe(false), 20_000)
  await wire.close()
  expect(await killed).toBeInstanceOf(Error)
  await holder.end()
  await migrate(database.url)
  expect(await versions()).toEqual(before)
})

test('a migration that waits for a table is behind a backup, and nobody is behind the migration', async () => {
  const before = await versions()
  await takeBack()
  const backup = ownConnection(sql)
  const users = createPool({ url: database.url, maxConnections: 1, applicationName: 'test-user' })
  let migrated: Promise<void> = Promise.resolve()
  await backup.begin(async (tx) => {
    await tx`lock table tx_intents in access share mode`
    migrated = migrate(database.url, { lockMs: 50, pauseMs: 50 })
    await vi.waitFor(async () => expect(await waiting()).toHaveLength(1), 20_000)
    await users`set statement_timeout = 5000`
    expect((await users`select count(*)::int as count from tx_intents`)[0]).toEqual({ count: 0 })
    expect(await columns()).toBe(0)
  })
  await migrated
  expect(await versions()).toEqual(before)
  expect(await columns()).toBe(1)
  await Promise.all([backup.end(), users.end()])
})

test('a migration that never gets its tables says who has them, and leaves everything as it was', async () => {
  await takeBack()
  const before = await versions()
  const backup = ownConnection(sql)
  await backup.begin(async (tx) => {
    await tx`lock table tx_intents in access share mode`
    const given = migrate(database.url, { lockMs: 20, pauseMs: 20, attempts: 2 })
    await expect(given).rejects.toThrow(
      /migration 233\.do\.tx-least-gas\.sql needs a table that others use; the oldest transaction is of session \d+/,
    )
  })
  await backup.end()
  expect([await versions(), await columns()]).toEqual([before, 0])
  await migrate(database.url)
})

test('whoever waits to migrate is not said to be in the way', async () => {
  await takeBack()
  const [other, backup] = [ownConnection(sql), ownConnection(sql)]
  await other`select pg_advisory_lock(${MIGRATION_LOCK})`
  const given = migrate(database.url, { lockMs: 20, pauseMs: 20, attempts: 2 }).catch((error: Error) => error.message)
  await vi.waitFor(async () => expect(await inLine()).toHaveLength(1), 20_000)
  const sibling = migrate(database.url)
  await vi.waitFor(async () => expect(await inLine()).toHaveLength(2), 20_000)
  await backup.begin(async (tx) => {
    const [mine] = await tx`select pg_backend_pid() as pid`
    await tx`lock table tx_intents in access share mode`
    await other.end()
    expect(await given).toContain(`the oldest transaction is of session ${mine?.pid} `)
  })
  await sibling
  expect(await columns()).toBe(1)
  await backup.end()
})

test('a limit of the role ends neither a migration nor the wait for another process that migrates', async () => {
  await takeBack()
  await sql.unsafe(`
    create table limits_seen (name text, setting text);
    create function note_limits() returns trigger language plpgsql as $$
    begin
      insert into limits_seen select name, setting from pg_settings where name ~ '^(statement|transaction|idle_in_transaction.*)_timeout$';
      return null;
    end
    $$;
    create trigger note_limits after insert on schema_version for each row execute function note_limits()`)
  const other = ownConnection(sql)
  await other`select pg_advisory_lock(${MIGRATION_LOCK})`
  // PostgreSQL 15 and 16 have no transaction_timeout.
  const limits = await sql<{ name: string }[]>`
    select name from pg_settings
    where name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout') order by name`
  const limited = `${database.url}?${limits.map(({ name }) => `${name}=${LIMIT_MS}`).join('&')}`
  const migrated = migrate(limited).then(
    () => 'migrated',
    (error: Error) => error.message,
  )
  await vi.waitFor(async () => expect(await inLine(LIMIT_MS)).toHaveLength(1), 20_000)
  await other.end()
  expect([await migrated, await columns()]).toEqual(['migrated', 1])
  expect(limits.length).toBeGreaterThanOrEqual(2)
  const lifted = limits.map(({ name }) => ({ name, setting: '0' }))
  expect(await sql`select name, setting from limits_seen order by name`).toEqual(lifted)
  await sql`drop function note_limits cascade`
})

test('whoever waits for another process that migrates says which session that is, and stops when asked to', async () => {
  await takeBack()
  const other = ownConnection(sql, { connection: { application_name: 'frozen' } })
  const [mine] = await other`select pg_advisory_lock(${MIGRATION_LOCK}), pg_backend_pid() as pid`
  const told: string[] = []
  const stop = new AbortController()
  const given = migrate(database.url, { progress: (text) => told.push(text), signal: stop.signal })
  const ended = expect(given).rejects.toThrow(MigrationStopped)
  await vi.waitFor(() => expect(told).toHaveLength(1), 20_000)
  expect(told[0]).toMatch(
    new RegExp(
      `^session ${mine?.pid} \\(frozen, from 127.0.0.1, begun \\d+ s ago\\) migrates the database, and is waited for$`,
    ),
  )
  stop.abort()
  await ended
  await other.end()
  expect(await columns()).toBe(0)
  await migrate(database.url, { signal: new AbortController().signal })
  expect(await columns()).toBe(1)
})

/** Sessions that have waited to migrate for longer than this. */
const inLine = (ms = 0) => sql`
  select a.pid from pg_stat_activity a join pg_locks l using (pid)
  where datname = current_database() and locktype = 'advisory' and objid = ${MIGRATION_LOCK} and not granted
    and clock_timestamp() - query_start > interval '1 millisecond' * ${ms}::float8`

/** Sessions that wait to alter the table. */
const waiting = async () => {
  const rows = await sql<{ pid: number }[]>`
    select pid from pg_locks where relation = 'tx_intents'::regclass and mode = 'AccessExclusiveLock' and not granted`
  return rows.map(({ pid }) => pid)
}

const isAtWork = async (pid: number | undefined) =>
  (await sql`select from pg_stat_activity where pid = ${pid ?? 0} and state = 'active'`).length > 0
