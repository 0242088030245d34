import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sleep } from '../lib/clock.ts'

const WEB = join(import.meta.dirname, '..', '..', '..', 'web')
/** What the build of the app writes (scripts/build-app.mjs). */
export const APP_FOLDER = join(WEB, 'dist')
const POLL_MS = 100
/** A build that takes longer is not waited for. */
const PATIENCE_MS = 180_000

/** Waits while a build of the app is under way, which \`npm start\` begins at once with the venue. */
export async function untilAppIsBuilt(marker = join(WEB, '.building'), patienceMs = PATIENCE_MS): Promise<void> {
  for (let waitedMs = 0; isBuilding(marker) && waitedMs < patienceMs; waitedMs += POLL_MS) await sleep(POLL_MS)
}

/** The marker names the process that builds; one that was killed has left it behind. */
function isBuilding(marker: string): boolean {
  if (!existsSync(marker)) return false
  try {
    process.kill(Number(readFileSync(marker, 'utf8')), 0)
    return true
  } catch {
    return false
  }
}
