import { authReasons } from '../../auth/reasons.ts'
import type { Rpc } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import type { Sql } from '../../db/pool.ts'
import type { SendLimits } from '../../delegation/send-queue.ts'
import type { Caller } from '../../http/caller.ts'
import type { Scheme } from '../../http/scheme.ts'
import { testServer, testVenue } from '../../http/testing.ts'
import { systemClock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { perpEnvelope } from '../envelope.ts'
import { perpReference } from '../reference.ts'
import { tradingRoutes } from '../routes/trading/register.ts'
import { CHAIN_ID, type PerpChain } from './chain.ts'
import { testContext } from './context.ts'

// The perpetual API as HTTP over a test's chain.

export interface ApiAnswer {
  readonly status: number
  readonly code: number
  readonly msg: string
  readonly reason: string | undefined
  readonly replayed: boolean
  // biome-ignore lint/suspicious/noExplicitAny: what is in it is what the test looks at
  readonly data: any
  readonly blockInfo?: { readonly height: number; readonly timestamp: number }
}

export interface ServeOptions {
  /** For operations that store something. */
  readonly sql?: Sql
  readonly rpc?: Rpc
  /** Room of the queue of sends; that of production unless given. */
  readonly sendLimits?: SendLimits
}

/** Serves the API to whoever sends a wallet's address as `x-api-key`; `nobody` is a key without a wallet. */
export async function servePerp(chain: PerpChain, options: ServeOptions = {}) {
  const venue = testVenue({
    rpc: options.rpc ?? chain.rpc,
    deployment: chain.deployment,
    clock: systemClock,
    ...(options.sql && { sql: options.sql }),
  })
  const app = await testServer([], {
    mounts: [
      {
        name: 'perp',
        prefix: '',
        owns: [{ path: '/v4/public', unknown: 'key' }],
        envelope: perpEnvelope,
        scheme: namedWallets,
        routes: tradingRoutes(testContext(venue, {}, options.sendLimits)),
        reference: perpReference(CHAIN_ID),
      },
    ],
    venue,
  })
  async function post(
    path: string,
    body: unknown,
    key: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<ApiAnswer> {
    const answer = await app.inject({
      method: 'POST',
      url: `/v4/public/trader/${path}`,
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...more },
      payload: typeof body === 'string' ? body : JSON.stringify(body),
    })
    const { statusCode: status, headers, payload } = answer
    const reason = headers['x-error-reason'] as string | undefined
    return { status, reason, replayed: headers['idempotent-replayed'] === 'true', ...JSON.parse(payload) }
  }
  return { venue, post, close: () => app.close() }
}

export type PerpApi = Awaited<ReturnType<typeof servePerp>>

const namedWallets: Scheme = {
  async authenticate({ headers }): Promise<Caller> {
    const key = String(headers['x-api-key'])
    if (key === 'nobody') return { keyId: key, access: 'WRITABLE', userAddress: null }
    if (!/^0x[0-9a-f]{40}$/.test(key)) throw new AppError(authReasons.unauthenticated, 'Unauthorized')
    return { keyId: key, access: 'WRITABLE', userAddress: key as Hex }
  },
}
