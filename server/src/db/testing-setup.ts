import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from './embedded.ts'

/**
 * vitest's global set-up: one PostgreSQL for the whole run, the server of `DATABASE_URL` when it is set, else an
 * embedded one in a temporary folder.
 */
export default async function setup(): Promise<() => Promise<void>> {
  if (process.env.DATABASE_URL) {
    process.env.TEST_DATABASE_URL = process.env.DATABASE_URL
    return async () => {}
  }
  const folder = await mkdtemp(join(tmpdir(), 'bourse-test-'))
  const server = await startEmbeddedPostgres({ folder, durable: false, maxConnections: 200 })
  process.env.TEST_DATABASE_URL = server.url
  return async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
