import { execFile } from 'node:child_process'
import { chmodSync, cpSync, existsSync } from 'node:fs'
import { mkdtemp, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import postgres from 'postgres'
import { programFile } from '../src/lib/testing-programs.ts'

/**
 * What the venues of a run begin with. `data`: the data folder of an embedded venue as its first start leaves it before any
 * role has worked, with a migrated database and a chain that holds the contracts of both products. `stocks` and `both`: the
 * state of a chain with the contracts of stocks, or of both products.
 */
export type Prepared = 'data' | 'stocks' | 'both'

/** Whoever holds this lock prepares; the others find what it has made. */
const PREPARE_LOCK = 4_201_974

/** The folder with what is prepared, made by the first process of the run that asks; null outside of a run. */
export async function preparedFolder(kind: Prepared): Promise<string | null> {
  const { TEST_PREPARED_FOLDER: root, TEST_DATABASE_URL: serverUrl } = process.env
  if (!root || !serverUrl) return null
  const folder = join(root, kind)
  if (existsSync(folder)) return folder
  const sql = postgres(serverUrl, { max: 1, onnotice: () => {} })
  try {
    await sql`select pg_advisory_lock(${PREPARE_LOCK})`
    if (!existsSync(folder)) await prepare(kind, folder)
  } finally {
    await sql.end()
  }
  return folder
}

/** Gives a venue that has never started the prepared data folder; outside of a run it makes its own. */
export async function copyPreparedData(dataDir: string): Promise<void> {
  const prepared = await preparedFolder('data')
  if (!prepared) return
  cpSync(prepared, dataDir, { recursive: true })
  // PostgreSQL refuses a folder that others may enter.
  chmodSync(join(dataDir, 'postgres', 'cluster'), 0o700)
}

async function prepare(kind: Prepared, folder: string): Promise<void> {
  const draft = await mkdtemp(`${folder}-`)
  await promisify(execFile)(process.execPath, [programFile(join(import.meta.dirname, 'prepare-venue.ts')), kind, draft])
  await rename(draft, folder)
}
