import { globSync } from 'node:fs'
import { join } from 'node:path'
import Postgrator from 'postgrator'
import postgres from 'postgres'

/** One process migrates at a time; the others wait and then find nothing to do. */
const MIGRATION_LOCK = 4_201_971

/** Migrations of the venue, and of each product that keeps its own: one sequence of numbers for the database. */
const MIGRATIONS = join(import.meta.dirname, '..', '*', 'migrations', '*.sql')

/** The files of all migrations, in order of their names. */
export const migrationFiles = (): readonly string[] => globSync(MIGRATIONS).sort()

/**
 * Brings the database to the newest schema: `<room>/migrations/NNN.do.<name>.sql`, in order, forward only. What has come with a number
 * below the newest that was run is made up for first. Several processes may call it at once. A failing migration leaves the version where
 * it was and names the file.
 */
export async function migrate(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await sql`select pg_advisory_lock(${MIGRATION_LOCK})`
    const postgrator = new Postgrator({
      migrationPattern: MIGRATIONS,
      driver: 'pg',
      database: new URL(url).pathname.slice(1),
      schemaTable: 'schema_version',
      execQuery: async (query) => ({ rows: [...(await sql.unsafe(query))] }),
      execSqlScript: async (script) => {
        await sql.unsafe(`begin;\n${script}\n;commit;`)
      },
    })
    await makeUp(sql, postgrator)
    await postgrator.migrate()
  } finally {
    await sql.end()
  }
}

/** Runs what the database has passed over: alone, the library runs only what is above the newest. */
async function makeUp(sql: postgres.Sql, postgrator: Postgrator): Promise<void> {
  const [table] = await sql`select from pg_tables where schemaname = current_schema() and tablename = 'schema_version'`
  if (!table) return
  const rows = await sql<{ version: number }[]>`select version::int as version from schema_version`
  const run = new Set(rows.map(({ version }) => version))
  const newest = Math.max(0, ...run)
  const all = await postgrator.getMigrations()
  const missing = all.filter(({ version, action }) => action === 'do' && version < newest && !run.has(version))
  await postgrator.runMigrations(missing.sort((a, b) => a.version - b.version))
}
