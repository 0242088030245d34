import { Registry } from 'prom-client'
import { chainProfile } from '../src/chain/profiles.ts'
import { createRpc } from '../src/chain/rpc.ts'
import type { Deployment } from '../src/chain/types.ts'
import { loadValues } from '../src/config.ts'
import { createPool } from '../src/db/pool.ts'
import { systemClock } from '../src/lib/clock.ts'
import { createLogger } from '../src/lib/logger.ts'
import { marketTasks } from '../src/market/tasks.ts'
import { runKeeper } from '../src/roles/keeper.ts'
import { stock } from '../src/stock/index.ts'
import { openThinMarket } from './anvil-world.ts'
import { type KeeperStep, watchedBroker, watchedSql } from './keeper-steps.ts'

/** What a test tells the keeper process that it starts; in `KEEPER_CHILD` as JSON. */
export interface KeeperOrder {
  readonly databaseUrl: string
  readonly rpcUrl: string
  readonly contracts: Deployment['contracts']
  /** What the market's clock is ahead of the wall's. */
  readonly offsetMs: number
  /** The process kills itself with SIGKILL the `count`th time it passes the step; null: it runs until SIGTERM. */
  readonly killAt: { readonly step: KeeperStep; readonly count: number } | null
}

const order = JSON.parse(process.env.KEEPER_CHILD ?? '') as KeeperOrder

const abort = new AbortController()
process.on('SIGTERM', () => abort.abort())
// A test process that dies takes its children along.
const orphaned = () => process.exit(1)
process.on('disconnect', orphaned)

let left = order.killAt?.count ?? 0
const passed = (step: KeeperStep) => {
  if (step === order.killAt?.step && --left === 0) process.kill(process.pid, 'SIGKILL')
}

const pool = createPool({ url: order.databaseUrl, maxConnections: 8, applicationName: 'keeper-child' })
const opened = await openThinMarket(pool, () => Date.now() + order.offsetMs)
const market = { ...opened, broker: watchedBroker(opened.broker, passed) }
const chainId = 31_337
const venue = {
  sql: watchedSql(pool, passed),
  deployment: { chainId, startBlock: 0n, contracts: order.contracts },
  rpc: createRpc({ url: order.rpcUrl }),
  clock: systemClock,
  log: createLogger('silent'),
}
await runKeeper({ venue, profile: chainProfile(chainId), metrics: new Registry(), signal: abort.signal }, () => [
  ...marketTasks(market),
  ...stock.open(venue, loadValues({})).tasks(market),
])
await pool.end({ timeout: 5 })
process.off('disconnect', orphaned)
process.disconnect()
