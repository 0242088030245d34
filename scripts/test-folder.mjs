// Where tests put their databases, chains and data folders.
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A file system in memory, on Linux. */
const IN_MEMORY = '/dev/shm'
/** What must be left beside the most that a run was seen to hold at a time. */
const ROOM_BYTES = 6 * 1024 ** 3
const PREFIX = 'bourse-tests-'

/**
 * A new folder for one run, and how to remove it. A run writes twenty gigabytes that nobody reads again, and waits for the disk at each
 * commit of an embedded venue: so it lies in memory, where there is room. What killed runs have left there is removed first.
 */
export function testFolder() {
  const place = hasRoom() ? IN_MEMORY : tmpdir()
  if (place === IN_MEMORY) for (const left of leftByKilled(place)) remove(left)
  const folder = mkdtempSync(join(place, `${PREFIX}${process.pid}-`))
  // Like the usual one, a folder that a database of another account may enter.
  chmodSync(folder, 0o711)
  return { folder, remove: () => remove(folder) }
}

function hasRoom() {
  if (process.platform !== 'linux' || !existsSync(IN_MEMORY)) return false
  const { bavail, bsize } = statfsSync(IN_MEMORY)
  return Math.min(bavail * bsize, process.availableMemory()) >= ROOM_BYTES
}

/** Folders of runs in a place whose process, which their names say, is there no more. */
export function leftByKilled(place) {
  const names = readdirSync(place).filter((name) => name.startsWith(PREFIX))
  return names.filter((name) => !isRunning(Number(name.split('-')[2]))).map((name) => join(place, name))
}

function isRunning(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function remove(folder) {
  rmSync(folder, { recursive: true, force: true })
}
