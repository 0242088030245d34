import postgres from 'postgres'
import type { Sql } from './pool.ts'
import { KEPT, KeptPool } from './testing-pool.ts'
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
  /** Undefined before the first test, and behind one that left something running. */
  pool: KeptPool | undefined
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
    await Promise.all([endPool(place), place.emptier?.end(), place.holder.end()])
    throw error
  }
  place.pool ??= new KeptPool(place.url)
  const { sql, giveBack } = place.pool.lend('test')
  const drop = async () => {
    if (!(await giveBack())) await endPool(place)
    free.push(place)
  }
  return { sql, url: place.url, drop }
}

async function takePlace(serverUrl: string, prefix: string): Promise<Place> {
  const holder = postgres(serverUrl, { max: 1, idle_timeout: 0, max_lifetime: null, onnotice: () => {} })
  // With a migration that fails, the lock that others wait for ends with the session.
  const template = await ensureTemplate(holder, serverUrl).catch(async (cause) => {
    await holder.end()
    throw cause
  })
  const name = `${prefix}${await firstFree(holder)}`
  const place: Place = {
    holder,
    name,
    url: withDatabase(serverUrl, name),
    template,
    emptier: undefined,
    pool: undefined,
  }
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
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = ${name} and application_name not in (${EMPTIER}, ${place.pool ? KEPT : ''})`
  if (await place.emptier?.empty()) return
  await Promise.all([place.emptier?.end(), endPool(place)])
  place.emptier = undefined
  await holder.unsafe(`drop database if exists ${name} with (force)`)
  await holder.unsafe(`create database ${name} template ${template.name}`)
  if (await mayEmpty(holder)) place.emptier = new Emptier(url, template, EMPTIER)
}

async function endPool(place: Place): Promise<void> {
  await place.pool?.end()
  place.pool = undefined
}
