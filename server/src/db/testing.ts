import postgres from 'postgres'
import { createPool, type Sql } from './pool.ts'
import { Emptier, ensureTemplate, type Template, withDatabase } from './testing-template.ts'

/** Whoever holds this lock of a number's holds the database of that number. */
const DATABASE_LOCKS = 4_201_973
const EMPTIER = 'test-emptier'

export interface TestDatabase {
  readonly sql: Sql
  readonly url: string
  drop(): Promise<void>
}

/** A database that this process has until it ends, for one test at a time. */
interface Place {
  /** Holds the lock. */
  readonly holder: postgres.Sql
  readonly name: string
  readonly url: string
  readonly template: Template
  /** Undefined while there is no database, and where the role may not empty one. */
  emptier: Emptier | undefined
}

/** What tests of this process have given back. */
const free: Place[] = []

/**
 * A migrated database without rows on the server of `TEST_DATABASE_URL` (which vitest's global set-up provides): one that
 * an earlier test has given back, emptied, or else a clone of the template of these migrations. `drop` gives it back.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const { TEST_DATABASE_URL: serverUrl, TEST_DATABASE_PREFIX: prefix } = process.env
  if (!serverUrl || !prefix) {
    throw new Error('TEST_DATABASE_URL is not set: run the tests through vitest from the repository root')
  }
  const place = free.pop() ?? (await takePlace(serverUrl, prefix))
  try {
    await makeReady(place)
  } catch (error) {
    await Promise.all([place.emptier?.end(), place.holder.end()])
    throw error
  }
  const sql = createPool({ url: place.url, maxConnections: 10, applicationName: 'test' })
  const drop = async () => {
    await sql.end({ timeout: 5 })
    free.push(place)
  }
  return { sql, url: place.url, drop }
}

async function takePlace(serverUrl: string, prefix: string): Promise<Place> {
  const holder = postgres(serverUrl, { max: 1, idle_timeout: 0, max_lifetime: null, onnotice: () => {} })
  const template = await ensureTemplate(holder, serverUrl)
  const name = `${prefix}${await firstFree(holder)}`
  const place: Place = { holder, name, url: withDatabase(serverUrl, name), template, emptier: undefined }
  const [existing] = await holder`select from pg_database where datname = ${name}`
  if (existing && (await mayEmpty(holder))) place.emptier = new Emptier(place.url, template, EMPTIER)
  return place
}

async function firstFree(holder: postgres.Sql): Promise<number> {
  for (let number = 0; ; number++) {
    const [row] = await holder<{ free: boolean }[]>`select pg_try_advisory_lock(${DATABASE_LOCKS}, ${number}) as free`
    if (row?.free) return number
  }
}

/** Emptying puts triggers and foreign keys aside: a superuser may, and whoever was granted that parameter. */
export async function mayEmpty(sql: postgres.Sql): Promise<boolean> {
  const [row] = await sql`select has_parameter_privilege('session_replication_role', 'SET') as may`
  return row?.may === true
}

async function makeReady(place: Place): Promise<void> {
  const { holder, name, url, template } = place
  // What a test left connected, a killed process of its for instance.
  await holder`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${name} and application_name <> ${EMPTIER}`
  if (await place.emptier?.empty()) return
  await place.emptier?.end()
  place.emptier = undefined
  await holder.unsafe(`drop database if exists ${name} with (force)`)
  await holder.unsafe(`create database ${name} template ${template.name}`)
  if (await mayEmpty(holder)) place.emptier = new Emptier(url, template, EMPTIER)
}
