import postgres from 'postgres'
import { createPool, type Sql } from './pool.ts'
import { emptied, ensureTemplate, withDatabase } from './testing-template.ts'

/** Whoever holds this lock of a number's holds the database of that number. */
const DATABASE_LOCKS = 4_201_973

export interface TestDatabase {
  readonly sql: Sql
  readonly url: string
  drop(): Promise<void>
}

/**
 * A migrated database without rows on the server of `TEST_DATABASE_URL` (which vitest's global set-up provides): one that
 * an earlier test has given back, emptied, or else a clone of the template of these migrations. `drop` gives it back.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const { TEST_DATABASE_URL: serverUrl, TEST_DATABASE_PREFIX: prefix } = process.env
  if (!serverUrl || !prefix) {
    throw new Error('TEST_DATABASE_URL is not set: run the tests through vitest from the repository root')
  }
  // Holds the lock until the database is given back, or this process ends.
  const holder = postgres(serverUrl, { max: 1, idle_timeout: 0, max_lifetime: null, onnotice: () => {} })
  try {
    const name = `${prefix}${await firstFree(holder)}`
    const url = withDatabase(serverUrl, name)
    await makeReady(holder, serverUrl, name, url)
    const sql = createPool({ url, maxConnections: 10, applicationName: 'test' })
    const drop = async () => {
      await sql.end({ timeout: 5 })
      await holder.end()
    }
    return { sql, url, drop }
  } catch (error) {
    await holder.end()
    throw error
  }
}

async function firstFree(holder: postgres.Sql): Promise<number> {
  for (let number = 0; ; number++) {
    const [row] = await holder<{ free: boolean }[]>`select pg_try_advisory_lock(${DATABASE_LOCKS}, ${number}) as free`
    if (row?.free) return number
  }
}

async function makeReady(holder: postgres.Sql, serverUrl: string, name: string, url: string): Promise<void> {
  const template = await ensureTemplate(holder, serverUrl)
  const [existing] = await holder`select 1 from pg_database where datname = ${name}`
  if (existing) {
    // What a test left connected, a killed process of its for instance.
    await holder`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${name}`
    if (await emptied(holder, template, url)) return
  }
  await holder.unsafe(`drop database if exists ${name} with (force)`)
  await holder.unsafe(`create database ${name} template ${template}`)
}
