import { createRpc } from '../../chain/rpc.ts'
import type { Deployment } from '../../chain/types.ts'
import { createPool, type Sql } from '../../db/pool.ts'
import { DEFAULT_GAS_PER_DAY } from '../../delegation/submit.ts'
import { systemClock } from '../../lib/clock.ts'
import { createLogger } from '../../lib/logger.ts'
import { openSurvey } from '../keeper/survey.ts'
import { keepOrders } from './keep.ts'

/** Where the process kills itself: before a transaction, at its end before the commit, and right after it. */
type KillStep = 'before' | 'inside' | 'committed'

/** What a test tells the process that it starts; in `KEPT_CHILD` as JSON. */
interface ChildOrder {
  readonly databaseUrl: string
  readonly rpcUrl: string
  readonly deployment: Omit<Deployment, 'startBlock'>
  readonly killAt: KillStep
}

const { databaseUrl, rpcUrl, deployment, killAt } = JSON.parse(process.env.KEPT_CHILD ?? '') as ChildOrder

async function passed(step: KillStep): Promise<void> {
  if (step !== killAt) return
  process.kill(process.pid, 'SIGKILL')
  await new Promise(() => {})
}

/** The database, of which every transaction passes the steps. */
const watched = (sql: Sql): Sql =>
  new Proxy(sql, {
    get(from, key) {
      if (key !== 'begin') return Reflect.get(from, key)
      return async (work: (tx: unknown) => Promise<unknown>) => {
        await passed('before')
        const result = await from.begin(async (tx) => {
          const inner = await work(tx)
          await passed('inside')
          return inner
        })
        await passed('committed')
        return result
      }
    },
  })

const pool = createPool({ url: databaseUrl, maxConnections: 4, applicationName: 'kept-child' })
const venue = {
  sql: watched(pool),
  deployment: { ...deployment, startBlock: 0n },
  rpc: createRpc({ url: rpcUrl }),
  clock: systemClock,
  log: createLogger('silent'),
}
const { chainId } = deployment
await keepOrders({ venue, chainId, submitGasPerDay: DEFAULT_GAS_PER_DAY }, openSurvey())
await pool.end({ timeout: 5 })
process.disconnect?.()
