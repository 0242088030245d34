import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** vitest's global set-up: a place for what the venues of this run begin with (prepared.ts). */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'bourse-prepared-'))
  process.env.TEST_PREPARED_FOLDER = folder
  return () => rm(folder, { recursive: true, force: true })
}
