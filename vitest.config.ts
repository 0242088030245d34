import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: [
      'server/src/**/*.test.ts',
      'server/e2e/**/*.test.ts',
      'sim/**/*.test.ts',
      'scripts/**/*.test.ts',
      'bench/**/*.test.ts',
    ],
    exclude: [
      '**/node_modules/**',
      // These need a Redis server: they run wherever REDIS_URL names one, as it does in CI.
      ...(process.env.REDIS_URL ? [] : ['**/*.redis.test.ts']),
    ],
    globalSetup: ['server/src/db/testing-setup.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
    expect: { requireAssertions: true },
  },
})
