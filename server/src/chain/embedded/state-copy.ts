import { existsSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'

const LOOK_MS = 2000
/** How a state that Anvil has written to its end ends; cut short anywhere it does not. */
const WHOLE_END = '"historical_states":null}'

const copyOf = (statePath: string): string => `${statePath}.copy`

/**
 * Anvil writes its state over the old one, so a kill in that moment leaves half a file and no chain. This puts each whole one
 * aside, where a start finds it; Anvil makes the next as a new file. Nothing is copied: after a busy hour it is gigabytes.
 * What is looked at well within the interval of the writes is not being written. Returns how to end it.
 */
export function keepStateCopy(statePath: string): () => void {
  const timer = setInterval(async () => {
    if (await isWhole(statePath)) await rename(statePath, copyOf(statePath)).catch(() => {})
  }, LOOK_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/** Before a start: puts the copy in the place of a state that is missing or that a kill has cut short. */
export async function restoreState(statePath: string): Promise<void> {
  if (!existsSync(copyOf(statePath)) || (await isWhole(statePath))) return
  await rename(copyOf(statePath), statePath)
}

async function isWhole(statePath: string): Promise<boolean> {
  try {
    const handle = await open(statePath)
    try {
      const { size } = await handle.stat()
      const buffer = Buffer.alloc(WHOLE_END.length)
      await handle.read({ buffer, position: Math.max(0, size - buffer.length) })
      return buffer.toString() === WHOLE_END
    } finally {
      await handle.close()
    }
  } catch {
    return false
  }
}
