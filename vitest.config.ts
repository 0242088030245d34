import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { environment } from './scripts/setup.mjs'
import { LongestFirst } from './scripts/test-order.ts'
import { COMPUTE, PROJECTS, type Project, testFiles } from './scripts/test-projects.ts'

const files = [...testFiles()]
const hasFiles = (name: Project): boolean => files.some(([, project]) => project === name)

// Also where vitest is started by hand: hundreds of processes are started by tests, and find what others compiled.
process.env.NODE_COMPILE_CACHE = environment.NODE_COMPILE_CACHE

/**
 * Kinds whose files share a process, and in it what they import: loading it anew for each was more than a third of what
 * `unit` costs, and two seconds of processor time for a file with a venue.
 */
const TOGETHER: readonly Project[] = ['unit', 'db', 'chain', 'venue', 'embedded']

/**
 * Files at a time, of every kind. A file with a venue waits more than it works, but each process loads and warms up the same code, and
 * a venue takes a tenth of a core while its test waits: with seven at a time on two cores the files with venues took a third more
 * processor time than with four, and longer. Of the kinds that compute one of four waits, mostly (`WAITING_FILES` in scripts/test-order.ts).
 */
const AT_ONCE = availableParallelism() + 2

export default defineConfig({
  test: {
    // Once for all projects: the PostgreSQL server that their databases are on, what venues begin with, and the app as
    // browsers get it.
    globalSetup: [
      'scripts/bundle-programs.ts',
      'server/src/db/testing-setup.ts',
      'server/e2e/prepared-setup.ts',
      'web/e2e/build-app.ts',
    ],
    // Of tests that say that they may run beside each other: lives of sim/venue, each a core's work.
    maxConcurrency: 2,
    sequence: { sequencer: LongestFirst },
    projects: PROJECTS.filter(hasFiles).map((name) => ({
      test: {
        name,
        // Files are loaded by Node itself, as those of a venue are, with what it has compiled before.
        experimental: { viteModuleRunner: false },
        isolate: !TOGETHER.includes(name),
        maxWorkers: AT_ONCE,
        sequence: { groupOrder: COMPUTE.includes(name) ? 0 : 1 },
        include: files.filter(([, project]) => project === name).map(([file]) => file),
        // Every wait has an end of its own: these are for what hangs, on a machine however slow.
        testTimeout: 900_000,
        hookTimeout: 900_000,
        expect: { requireAssertions: true },
      },
    })),
  },
})
