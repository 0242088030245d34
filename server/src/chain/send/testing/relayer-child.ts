import { flushCompileCache } from 'node:module'
import { createPool } from '../../../db/pool.ts'
import { createLogger } from '../../../lib/logger.ts'
import type { ChainProfile } from '../../profiles.ts'
import { createRpc } from '../../rpc.ts'
import type { Hex } from '../../types.ts'
import { runSigners } from '../relayer.ts'
import type { SendStep } from '../steps.ts'

/** What a test tells the relayer process that it starts: a message of JSON, big integers as `"123n"`. */
export interface ChildOrder {
  readonly databaseUrl: string
  readonly rpcUrl: string
  readonly profile: ChainProfile
  readonly signers: readonly { readonly purpose: string; readonly privateKey: Hex }[]
  /** The process kills itself with SIGKILL the `count`th time it passes the step; null: it runs until SIGTERM. */
  readonly killAt: { readonly step: SendStep; readonly count: number } | null
  readonly rpcTimeoutMs?: number
  /** Application name of its database connections. */
  readonly applicationName?: string
}

const abort = new AbortController()
process.on('SIGTERM', () => abort.abort())
// A test process that dies takes its children along.
const orphaned = () => process.exit(1)
process.on('disconnect', orphaned)
// A killed process leaves no cache: what is compiled is kept at once, for the next one.
flushCompileCache()

process.once('message', (text) => {
  const order = JSON.parse(String(text), (_, value) =>
    typeof value === 'string' && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  ) as ChildOrder
  void run(order)
})

async function run(order: ChildOrder): Promise<void> {
  let left = order.killAt?.count ?? 0
  const faults = (step: SendStep) => {
    if (step === order.killAt?.step && --left === 0) process.kill(process.pid, 'SIGKILL')
  }
  const applicationName = order.applicationName ?? 'relayer-child'
  const sql = createPool({ url: order.databaseUrl, maxConnections: 8, applicationName })
  await runSigners({
    sql,
    rpc: createRpc({ url: order.rpcUrl, timeoutMs: order.rpcTimeoutMs ?? 2000 }),
    profile: order.profile,
    signers: order.signers,
    signal: abort.signal,
    log: createLogger(process.env.RELAYER_CHILD_LOG ?? 'silent'),
    faults,
  })
  await sql.end({ timeout: 5 })
  process.off('disconnect', orphaned)
  process.disconnect()
}
