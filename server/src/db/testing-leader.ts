// A process of its own that leads and writes, for tests that freeze it: `node testing-leader.ts <databaseUrl> <name> <leaseMs>`.
import { sleep } from '../lib/clock.ts'
import { withLeadership } from './locks.ts'
import { createPool, inTransaction } from './pool.ts'

const [url, name, leaseMs] = process.argv.slice(2) as [string, string, string]
const pool = createPool({ url, maxConnections: 2, applicationName: 'frozen-leader' })
const stop = new AbortController()
await withLeadership(
  pool,
  name,
  stop.signal,
  async ({ sql, signal }) => {
    // Writes after the end of the leadership must fail whether or not the end has been noticed.
    for (;;) {
      try {
        await inTransaction(sql, (tx) => tx`insert into leader_marks (leader) values ('child')`)
      } catch (error) {
        process.stdout.write(`${error instanceof Error ? error.name : error} ${signal.aborted}\n`)
        stop.abort()
        return
      }
      await sleep(10)
    }
  },
  { leaseMs: Number(leaseMs), retryMs: 50 },
)
await pool.end({ timeout: 1 })
