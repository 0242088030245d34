import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import postgres from 'postgres'
import { migrate } from './migrate.ts'
import { createPool, type Sql } from './pool.ts'

const TEMPLATE_LOCK = 4_201_972

export interface TestDatabase {
  readonly sql: Sql
  readonly url: string
  drop(): Promise<void>
}

/**
 * A fresh, migrated database on the server of `TEST_DATABASE_URL` (which vitest's global set-up provides), cloned from
 * a template that is made once for each state of the migrations.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const serverUrl = process.env.TEST_DATABASE_URL
  if (!serverUrl) throw new Error('TEST_DATABASE_URL is not set: run the tests through vitest from the repository root')
  const admin = postgres(serverUrl, { max: 1, onnotice: () => {} })
  const name = `bourse_test_${randomBytes(6).toString('hex')}`
  try {
    const template = await ensureTemplate(admin, serverUrl)
    await admin.unsafe(`create database ${name} template ${template}`)
  } finally {
    await admin.end()
  }
  const url = withDatabase(serverUrl, name)
  const sql = createPool({ url, maxConnections: 10, applicationName: 'test' })
  return { sql, url, drop: () => drop(serverUrl, name, sql) }
}

async function ensureTemplate(admin: postgres.Sql, serverUrl: string): Promise<string> {
  const template = `bourse_template_${migrationsDigest()}`
  await admin`select pg_advisory_lock(${TEMPLATE_LOCK})`
  const existing = await admin`select 1 from pg_database where datname = ${template}`
  if (existing.length === 0) {
    const draft = `${template}_draft`
    await admin.unsafe(`drop database if exists ${draft} with (force)`)
    await admin.unsafe(`create database ${draft}`)
    await migrate(withDatabase(serverUrl, draft))
    await admin.unsafe(`alter database ${draft} rename to ${template}`)
  }
  await admin`select pg_advisory_unlock(${TEMPLATE_LOCK})`
  return template
}

function migrationsDigest(): string {
  const folder = join(import.meta.dirname, 'migrations')
  const hash = createHash('sha256')
  for (const file of readdirSync(folder).sort()) hash.update(file).update(readFileSync(join(folder, file)))
  return hash.digest('hex').slice(0, 16)
}

async function drop(serverUrl: string, name: string, sql: Sql): Promise<void> {
  await sql.end({ timeout: 5 })
  const admin = postgres(serverUrl, { max: 1, onnotice: () => {} })
  try {
    await admin.unsafe(`drop database if exists ${name} with (force)`)
  } finally {
    await admin.end()
  }
}

function withDatabase(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}
