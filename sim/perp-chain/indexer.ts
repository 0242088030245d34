/** The server's follower on a private chain, and all that it has recorded of perpetuals. */

import { runFollower } from '../../server/src/chain/follow/follower.ts'
import { type RunningFollower, waitForHead } from '../../server/src/chain/follow/testing.ts'
import { chainProfile } from '../../server/src/chain/profiles.ts'
import { createRpc, type Rpc } from '../../server/src/chain/rpc.ts'
import type { Deployment as ServerDeployment } from '../../server/src/chain/types.ts'
import type { Sql } from '../../server/src/db/pool.ts'
import { type TestDatabase, testDatabase } from '../../server/src/db/testing.ts'
import { createLogger } from '../../server/src/lib/logger.ts'
import { perp } from '../../server/src/perp/index.ts'
import type { Chain } from './chain.ts'
import type { Deployment } from './deploy.ts'

const CHAIN_ID = 31_337

/** The deployment as the venue's file has it: instruments are not in it, they are found by their events. */
export const serverDeployment = ({ gate, config, market, observer }: Deployment): ServerDeployment => ({
  chainId: CHAIN_ID,
  startBlock: 1n,
  contracts: { Gate: gate.address, Config: config.address, LinkMarket: market.address, Observer: observer.address },
})

export class Indexer {
  readonly sql: Sql
  readonly rpc: Rpc
  readonly deployment: ServerDeployment
  readonly #database: TestDatabase
  #follower: RunningFollower | undefined

  private constructor(database: TestDatabase, chain: Chain, deployment: Deployment) {
    this.#database = database
    this.sql = database.sql
    this.rpc = createRpc({ url: chain.rpcUrl, timeoutMs: 300_000 })
    this.deployment = serverDeployment(deployment)
  }

  static async start(chain: Chain, deployment: Deployment): Promise<Indexer> {
    const indexer = new Indexer(await testDatabase(), chain, deployment)
    indexer.begin()
    return indexer
  }

  /** Starts following, from where it stopped. */
  begin(): void {
    const controller = new AbortController()
    const ended = runFollower({
      sql: this.sql,
      rpc: this.rpc,
      profile: chainProfile(CHAIN_ID),
      deployment: this.deployment,
      modules: [perp.events],
      log: createLogger('silent'),
      pollMs: 10,
      confirmMs: 5,
      signal: controller.signal,
    })
    ended.catch(() => {})
    const stop = () => {
      controller.abort()
      return ended
    }
    this.#follower = { ended, stop }
  }

  async pause(): Promise<void> {
    await this.#follower?.stop()
  }

  /** Waits until the newest block is indexed. */
  async caughtUp(): Promise<void> {
    await waitForHead(this.sql, this.rpc)
  }

  async stop(): Promise<void> {
    await this.pause()
    await this.#database.drop()
  }

  /** Every row of every table that is made of perpetual events, and the blocks. */
  async dump(): Promise<Record<string, unknown[]>> {
    const rows: Record<string, unknown[]> = {}
    for (const table of ['blocks', ...perp.events.tables]) {
      rows[table] = [...(await this.sql.unsafe(`select to_jsonb(t)::text as row from ${table} t order by 1`))]
    }
    return rows
  }
}
