import { globSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import Postgrator from 'postgrator'
import postgres from 'postgres'
import { aborted, sleep } from '../lib/clock.ts'
import { liftLimits } from './limits.ts'
import { requireUnchanged } from './migration-digests.ts'

/** One process migrates at a time; the others wait and then find nothing to do. */
export const MIGRATION_LOCK = 4_201_971

/** The venue's own. */
const MIGRATIONS = join(import.meta.dirname, 'migrations')

/** Of every product that stands in `server/src`, beside this room. */
const BESIDE = join(import.meta.dirname, '..', '!(db)', 'migrations')

/** A connection that was lost is not waited for. */
const END_SEC = 5

/** Another process that migrates is done sooner, mostly: after this the wait for it is told. */
const TELL_WAIT_MS = 3000

/** Another session has what the migration needs, or the two have waited for each other. */
const HELD_UP = new Set(['55P03', '40P01'])

export interface MigrateOptions {
  /** Where the products have migrations of their own. Left out, all that stand in `server/src`: for whoever has no list of products. */
  readonly folders?: readonly string[]
  /** How long a migration waits for a table that others use. Whatever they ask of that table waits as long. */
  readonly lockMs?: number
  /** How long they are left alone before it tries again. */
  readonly pauseMs?: number
  /** How often it tries. */
  readonly attempts?: number
  /** Told once, when a migration has to wait, and once when another process that migrates is waited for. */
  readonly progress?: (text: string) => void
  /** Ends the wait for another process that migrates. */
  readonly signal?: AbortSignal
}

/** Nothing was migrated: whoever started it wanted to stop while another process was waited for. */
export class MigrationStopped extends Error {}

type Migration = Postgrator.Migration

/** The files of the migrations of the venue and of its products. Throws for a folder that is not there. */
export const migrationFiles = (folders: readonly string[] = globSync(BESIDE)): readonly string[] =>
  [MIGRATIONS, ...folders].flatMap((folder) =>
    readdirSync(folder)
      .sort()
      .map((name) => join(folder, name)),
  )

/**
 * Brings the database to the newest schema: `NNN.do.<name>.sql` of all folders, in order of their numbers, forward only. No two have
 * the same number, since the database has one history. What has come with a number below the newest that was run is made up for
 * first. Several processes may call it at once, and each may be killed at any moment: a migration and the note that it was run are one
 * transaction. A failing migration leaves the version where it was and is named. A database with migrations that this version does not
 * know, as a newer one has run them or one with a product more, is refused as it is, and so is one whose migrations are not those of the
 * files any more. Throws `MigrationStopped` where `signal` ends its wait.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    // A migration may take longer, and so may others that wait for it.
    await liftLimits(sql, 'session')
    await takeTurn(sql, url, options)
    const postgrator = new Migrator(sql, new URL(url).pathname.slice(1), options)
    const known = (await postgrator.getMigrations()).filter(({ action }) => action === 'do')
    const noted = await notedMigrations(sql)
    requireKnown(noted, known)
    await requireUnchanged(sql, noted, known)
    await makeUp(noted, known, postgrator)
    await postgrator.migrate()
  } finally {
    // A wait that was given up is not waited for.
    await sql.end({ timeout: options.signal?.aborted ? 0 : END_SEC })
  }
}

/** Waits until no other process migrates. One that is frozen is waited for until its session ends, so it is told which one that is. */
async function takeTurn(
  sql: postgres.Sql,
  url: string,
  { progress, signal = new AbortController().signal }: MigrateOptions,
): Promise<void> {
  const tell = async () => progress?.(`${await whoMigrates(url)} migrates the database, and is waited for`)
  const telling = setTimeout(() => void tell().catch(() => {}), TELL_WAIT_MS)
  const turn = sql`select pg_advisory_lock(${MIGRATION_LOCK})`
  // Once the wait is given up, the end of its connection is nobody's failure.
  turn.catch(() => {})
  await Promise.race([turn, aborted(signal)]).finally(() => clearTimeout(telling))
  if (signal.aborted) throw new MigrationStopped('another process was still migrating the database')
}

async function whoMigrates(url: string): Promise<string> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    const [holder] = await sql<{ pid: number; name: string; address: string | null; sec: number }[]>`
      select a.pid, application_name as name, host(client_addr) as address,
        extract(epoch from clock_timestamp() - backend_start)::int as sec
      from pg_locks l join pg_stat_activity a using (pid)
      where a.datname = current_database() and locktype = 'advisory' and classid = 0 and objid = ${MIGRATION_LOCK} and granted`
    if (!holder) return 'another process'
    const { pid, name, address, sec } = holder
    return `session ${pid} (${name || 'without a name'}, from ${address ?? 'this machine'}, begun ${sec} s ago)`
  } finally {
    await sql.end({ timeout: END_SEC })
  }
}

/** The library finds, orders and checks the migrations; alone, it would note in a second transaction that one was run. */
class Migrator extends Postgrator {
  readonly #sql: postgres.Sql
  readonly #options: MigrateOptions

  constructor(sql: postgres.Sql, database: string, options: MigrateOptions) {
    // The library hands the pattern to `glob`, which takes a list as well.
    const migrationPattern: unknown = migrationFiles(options.folders)
    super({
      migrationPattern: migrationPattern as string,
      driver: 'pg',
      database,
      schemaTable: 'schema_version',
      newline: 'LF',
      // It would ask for each of them by itself, after what was passed over has been run.
      validateChecksums: false,
      execQuery: async (query) => ({ rows: [...(await sql.unsafe(query))] }),
    })
    this.#sql = sql
    this.#options = options
  }

  override async runMigrations(migrations: Migration[] = []): Promise<Migration[]> {
    for (const migration of migrations) await runInTurn(this.#sql, migration, this.#options)
    return migrations
  }
}

/**
 * Runs a migration between what others do: one that waited for a table behind a backup would have everybody who needs the table wait
 * behind itself, for as long as the backup takes.
 */
async function runInTurn(
  sql: postgres.Sql,
  migration: Migration,
  { lockMs = 2000, pauseMs = 5000, attempts = 30, progress }: MigrateOptions,
): Promise<void> {
  const name = basename(migration.filename)
  for (let left = attempts - 1; ; left--) {
    try {
      return await run(sql, migration, lockMs)
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      if (!HELD_UP.has(code ?? '')) throw new Error(`the migration ${name} failed: ${message}`, { cause: error })
      const held = `the migration ${name} needs a table that others use; ${await oldestTransaction(sql)}`
      if (left <= 0) {
        const hint = 'Nothing was changed: wait for that session, or end it, and start again'
        throw new Error(`${held}. ${hint}`, { cause: error })
      }
      if (left === attempts - 1) progress?.(`${held}, and is waited for`)
      await sleep(pauseMs)
    }
  }
}

async function run(sql: postgres.Sql, { version, name, md5, getSql }: Migration, lockMs: number): Promise<void> {
  const script = await getSql()
  await sql.begin(async (tx) => {
    await tx`select set_config('lock_timeout', ${String(lockMs)}, true)`
    await tx.unsafe(script)
    await tx`insert into schema_version (version, name, md5, run_at) values (${version}, ${name}, ${md5}, now())`
  })
}

/** Most likely the one that is in the way. Whoever waits to migrate has nothing that a migration needs. */
async function oldestTransaction(sql: postgres.Sql): Promise<string> {
  const [oldest] = await sql<{ pid: number; name: string; sec: number }[]>`
    select pid, application_name as name, extract(epoch from clock_timestamp() - xact_start)::int as sec
    from pg_stat_activity a
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
      and not exists (
        select from pg_locks l
        where l.pid = a.pid and locktype = 'advisory' and classid = 0 and objid = ${MIGRATION_LOCK} and not granted
      )
    order by xact_start limit 1`
  if (!oldest) return 'no session has a transaction open any more'
  return `the oldest transaction is of session ${oldest.pid} (${oldest.name || 'without a name'}), begun ${oldest.sec} s ago`
}

type Noted = Pick<Migration, 'version' | 'name' | 'md5'>

/** The migrations that the database says were run; none of a database that is new. */
async function notedMigrations(sql: postgres.Sql): Promise<readonly Noted[]> {
  const [table] = await sql`select from pg_tables where schemaname = current_schema() and tablename = 'schema_version'`
  if (!table) return []
  return await sql<
    Noted[]
  >`select version::int as version, name, md5 from schema_version where version > 0 order by version`
}

/** What this version does not know of, its statements may leave out or break, and nobody would notice. */
function requireKnown(noted: readonly Noted[], known: readonly Migration[]): void {
  const versions = new Set(known.map(({ version }) => version))
  const unknown = noted.filter(({ version }) => !versions.has(version))
  if (unknown.length === 0) return
  const names = unknown.map(({ version, name }) => `${version} (${name})`).join(', ')
  throw new Error(
    `this database has migrations that this version of the venue does not know: ${names}. Nothing was changed: start the version that ran them, or a later one (docs/operations.md#updating)`,
  )
}

/** Runs what the database has passed over: alone, the library runs only what is above the newest. */
async function makeUp(noted: readonly Noted[], known: readonly Migration[], postgrator: Postgrator): Promise<void> {
  const run = new Set(noted.map(({ version }) => version))
  const newest = Math.max(0, ...run)
  const missing = known.filter(({ version }) => version < newest && !run.has(version))
  await postgrator.runMigrations(missing.sort((a, b) => a.version - b.version))
}
