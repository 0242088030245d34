import { authReasons } from '../../auth/reasons.ts'
import { runFollower } from '../../chain/follow/follower.ts'
import { chainProfile } from '../../chain/profiles.ts'
import type { Hex } from '../../chain/types.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import type { Caller } from '../../http/caller.ts'
import { testServer, testVenue } from '../../http/testing.ts'
import { systemClock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { createLogger } from '../../lib/logger.ts'
import { perpEnvelope } from '../envelope.ts'
import { perpEvents } from '../events.ts'
import { perpReference } from '../reference.ts'
import { perpRoutes } from '../routes/register.ts'
import type { ApiAnswer } from './api.ts'
import { CHAIN_ID, type PerpChain } from './chain.ts'
import { testContext } from './context.ts'

const UNBOUNDED = 10n ** 18n

type App = Awaited<ReturnType<typeof testServer>>

/** A test's chain, indexed, and the API's operations, which tell what of it was recorded. */
export class Recorded {
  readonly database: TestDatabase
  readonly #chain: PerpChain
  readonly #app: App
  /** Ends the indexer. */
  readonly #stop: () => Promise<void>

  private constructor(chain: PerpChain, database: TestDatabase, app: App, stop: () => Promise<void>) {
    this.#chain = chain
    this.database = database
    this.#app = app
    this.#stop = stop
  }

  static async start(chain: PerpChain): Promise<Recorded> {
    const database = await testDatabase()
    const { rpc, deployment } = chain
    const { sql } = database
    const controller = new AbortController()
    const ended = runFollower({
      sql,
      rpc,
      deployment,
      profile: chainProfile(CHAIN_ID),
      modules: [perpEvents],
      log: createLogger('silent'),
      pollMs: 20,
      confirmMs: 5,
      signal: controller.signal,
    })
    ended.catch(() => {})
    const venue = testVenue({ rpc, deployment, sql, clock: systemClock })
    const app = await testServer([], {
      mounts: [
        {
          name: 'perp',
          prefix: '',
          owns: [{ path: '/v4/public', unknown: 'key' }],
          envelope: perpEnvelope,
          scheme: { authenticate: async ({ headers }) => callerOf(String(headers['x-api-key'])) },
          routes: perpRoutes(testContext(venue, { submitGasPerDay: UNBOUNDED })),
          reference: perpReference(CHAIN_ID),
        },
      ],
      venue,
    })
    const stop = () => {
      controller.abort()
      return ended
    }
    return new Recorded(chain, database, app, stop)
  }

  /** Asks as a wallet; `nobody` is a key without one. */
  async get(path: string, query: Readonly<Record<string, string | number>>, key: string): Promise<ApiAnswer> {
    const pairs = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    )
    const url = `/v4/public/${path}?${pairs}`
    const { statusCode: status, headers, payload } = await this.#app.inject({ url, headers: { 'x-api-key': key } })
    const reason = headers['x-error-reason'] as string | undefined
    return { status, reason, replayed: false, ...JSON.parse(payload) }
  }

  /** Waits until the node's present block is indexed. */
  async caughtUp(): Promise<void> {
    const head = BigInt(await this.#chain.rpc.call<Hex>('eth_blockNumber'))
    for (;;) {
      const [row] = await this.database.sql`select block_number from chain_checkpoints`
      if (row && (row.block_number as bigint) >= head) return
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  async close(): Promise<void> {
    await this.#stop()
    await this.#app.close()
    await this.database.drop()
  }
}

function callerOf(key: string): Caller {
  if (key === 'nobody') return { keyId: key, access: 'READ_ONLY', userAddress: null }
  if (!/^0x[0-9a-f]{40}$/.test(key)) throw new AppError(authReasons.unauthenticated, 'Unauthorized')
  return { keyId: key, access: 'READ_ONLY', userAddress: key as Hex }
}
