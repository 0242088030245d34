import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..', '..')
const MADE_WITHIN_MS = 120_000
const LOOK_MS = 20

/**
 * The file to run for a program that a test starts as a process, given by its source: the bundle that the run has made of it, which starts in a
 * third of the processor time, or the source itself outside of a run. Waits for the bundle at the beginning of a run. Throws for a source
 * of which there is none: see PROGRAMS in scripts/bundle-programs.ts.
 */
export function programFile(source: string): string {
  const { TEST_PROGRAMS_FOLDER: folder } = process.env
  if (!folder) return source
  waitFor(folder)
  const bundle = bundleOf(folder, source)
  if (!existsSync(bundle)) throw new Error(`${source} is not among the bundled programs: scripts/bundle-programs.ts`)
  return bundle
}

/** Where the bundle of a source is written. */
export const bundleOf = (folder: string, source: string): string =>
  join(folder, relative(ROOT, source).replace(/\.ts$/, '.js'))

function waitFor(folder: string): void {
  const deadlineMs = Date.now() + MADE_WITHIN_MS
  const nobody = new Int32Array(new SharedArrayBuffer(4))
  while (!existsSync(folder)) {
    if (Date.now() > deadlineMs) throw new Error('the programs were not bundled: see the beginning of the output')
    Atomics.wait(nobody, 0, 0, LOOK_MS)
  }
}
