import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import postgres from 'postgres'
import { startEmbeddedPostgres } from './embedded.ts'

/**
 * vitest's global set-up: one PostgreSQL for the whole run, the server of `DATABASE_URL` when it is set, else an
 * embedded one in a temporary folder.
 */
export default async function setup(): Promise<() => Promise<void>> {
  const prefix = `bourse_test_${randomBytes(6).toString('hex')}_`
  process.env.TEST_DATABASE_PREFIX = prefix
  const { DATABASE_URL } = process.env
  if (DATABASE_URL) {
    process.env.TEST_DATABASE_URL = DATABASE_URL
    return () => dropAll(DATABASE_URL, prefix)
  }
  const folder = await mkdtemp(join(tmpdir(), 'bourse-test-'))
  const server = await startEmbeddedPostgres({ folder, durable: false, maxConnections: 200 })
  process.env.TEST_DATABASE_URL = server.url
  return async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function dropAll(serverUrl: string, prefix: string): Promise<void> {
  const sql = postgres(serverUrl, { max: 1, onnotice: () => {} })
  try {
    const rows = await sql<{ datname: string }[]>`select datname from pg_database where starts_with(datname, ${prefix})`
    for (const { datname } of rows) await sql.unsafe(`drop database ${datname} with (force)`)
  } finally {
    await sql.end()
  }
}
