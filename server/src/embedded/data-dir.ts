import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { keptSecret } from '../lib/kept-secret.ts'

/** The folder of everything embedded, held by one venue at a time. */
export interface DataDir {
  readonly path: string
  file(name: string): string
  /** A random secret of 32 bytes in hex, made the first time and kept in `name`, readable by its owner alone. */
  secret(name: string): Promise<string>
  release(): Promise<void>
}

const LOCK = 'venue.pid'
const SECRET_BYTES = 32

/** Opens and locks the folder. Throws when another venue runs on it; the lock of one that was killed is taken over. */
export async function openDataDir(folder: string): Promise<DataDir> {
  const path = resolve(folder)
  await mkdir(path, { recursive: true })
  const file = (name: string) => join(path, name)
  await acquire(file(LOCK), path)
  return {
    path,
    file,
    secret: (name) => keptSecret(file(name), SECRET_BYTES),
    release: () => rm(file(LOCK), { force: true }),
  }
}

async function acquire(lock: string, path: string): Promise<void> {
  const holder = existsSync(lock) ? Number(await readFile(lock, 'utf8')) : 0
  if (holder !== process.pid && isVenue(holder)) {
    throw new Error(
      `a venue already runs on ${path} (process ${holder}): stop it first, or set DATA_DIR to another folder`,
    )
  }
  await writeFile(lock, String(process.pid))
}

/** Whether a process is a venue, and not a stranger with a recycled id. */
function isVenue(pid: number): boolean {
  if (!(pid > 0)) return false
  try {
    const command = execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return command.includes('main.ts')
  } catch {
    return false
  }
}
