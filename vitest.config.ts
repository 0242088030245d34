import { defineConfig } from 'vitest/config'
import { PROJECTS, testFiles } from './scripts/test-projects.ts'

const files = [...testFiles()]

export default defineConfig({
  test: {
    // Once for all projects: the PostgreSQL server that their databases are on.
    globalSetup: ['server/src/db/testing-setup.ts'],
    // One more than the cores of a small machine: whole venues wait more than they work.
    maxWorkers: 3,
    projects: PROJECTS.map((name) => ({
      test: {
        name,
        include: files.filter(([, project]) => project === name).map(([file]) => file),
        testTimeout: 300_000,
        hookTimeout: 300_000,
        expect: { requireAssertions: true },
      },
    })),
  },
})
