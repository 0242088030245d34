import { existsSync } from 'node:fs'
import { copyFile, open, readFile, rename, rm, stat } from 'node:fs/promises'

const COPY_INTERVAL_MS = 2000
/** A file unchanged for this long is not being written. */
const QUIET_MS = 150

const copyOf = (statePath: string): string => `${statePath}.copy`

/**
 * Anvil writes its state over the old one, so a kill in that moment leaves half a file and no chain. This keeps a whole
 * copy beside it, at most a few seconds old. Returns how to end it.
 */
export function keepStateCopy(statePath: string): () => void {
  let copiedAtMs = 0
  const timer = setInterval(async () => {
    const seen = await stat(statePath).catch(() => null)
    if (!seen || seen.mtimeMs === copiedAtMs || Date.now() - seen.mtimeMs < QUIET_MS) return
    if (await copyWhole(statePath, seen.size)) copiedAtMs = seen.mtimeMs
  }, COPY_INTERVAL_MS)
  timer.unref()
  return () => clearInterval(timer)
}

async function copyWhole(statePath: string, size: number): Promise<boolean> {
  const draft = `${copyOf(statePath)}.draft`
  try {
    await copyFile(statePath, draft)
    if ((await stat(draft)).size !== size || !(await endsWhole(draft, size))) return false
    await rename(draft, copyOf(statePath))
    return true
  } catch {
    await rm(draft, { force: true })
    return false
  }
}

/** The state is one JSON object: cut short, it lacks its last brace. */
async function endsWhole(file: string, size: number): Promise<boolean> {
  if (size === 0) return false
  const handle = await open(file)
  try {
    const { buffer } = await handle.read({ buffer: Buffer.alloc(1), position: size - 1 })
    return buffer.toString() === '}'
  } finally {
    await handle.close()
  }
}

/** Before a start: puts the copy in the place of a state that a kill has cut short. */
export async function restoreState(statePath: string): Promise<void> {
  if (!existsSync(statePath) || (await isWhole(statePath))) return
  if (existsSync(copyOf(statePath))) await copyFile(copyOf(statePath), statePath)
}

async function isWhole(statePath: string): Promise<boolean> {
  try {
    JSON.parse(await readFile(statePath, 'utf8'))
    return true
  } catch {
    return false
  }
}
