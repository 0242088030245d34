import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import type { Auth } from '../src/auth/auth.ts'
import { HmacSha256 } from '../src/auth/hmac.ts'
import type { LiveKey } from '../src/auth/key-directory.ts'
import { memoryNonceStore } from '../src/auth/nonce-store.ts'
import { Verifier } from '../src/auth/verifier.ts'
import { createRpc } from '../src/chain/rpc.ts'
import { loadValues } from '../src/config.ts'
import { createPool } from '../src/db/pool.ts'
import { openSendDesk } from '../src/delegation/send-desk.ts'
import type { DocumentedProduct } from '../src/http/openapi.ts'
import { createServer } from '../src/http/server.ts'
import { TEST_STREAMS } from '../src/http/testing.ts'
import { systemClock } from '../src/lib/clock.ts'
import { createLogger } from '../src/lib/logger.ts'
import { stock } from '../src/stock/index.ts'
import type { ApiKey } from './client.ts'
import type { Venue } from './venue.ts'

/** The role api within the test's own process, over the database and the chain of a running venue. */
export interface ApiInProcess {
  readonly app: FastifyInstance
  readonly product: DocumentedProduct
  /** A WRITABLE key, bound to a wallet, that works from every address the test sends from. */
  readonly key: ApiKey
  close(): Promise<void>
}

/**
 * The real server, products and signature check, so that a hundred thousand requests need no sockets. What is left out is
 * the rate limit, which would refuse them.
 */
export async function startApiInProcess(venue: Venue, chainId: number): Promise<ApiInProcess> {
  const sql = createPool({ url: venue.databaseUrl, maxConnections: 8, applicationName: 'bourse-test' })
  const key = { apiKey: 'in-process', apiSecret: randomBytes(32).toString('hex') }
  const live: LiveKey = {
    apiKey: key.apiKey,
    hmac: new HmacSha256(key.apiSecret),
    secretMadeAtMs: 0,
    active: true,
    expiresAtMs: null,
    ipWhitelist: new Set(['127.0.0.1']),
    scopes: [{ chainId, productType: 'Bourse', access: 'WRITABLE' }],
    userAddress: venue.accounts[0]?.address.toLowerCase() as `0x${string}`,
    historyKey: null,
  }
  const keys = { find: (id: string) => (id === key.apiKey ? live : undefined), fresh: () => undefined }
  const verifier = new Verifier({ keys, nonces: memoryNonceStore({ nowMs: () => 0 }), clock: systemClock })
  const deployment = { chainId, startBlock: 0n, contracts: venue.contracts }
  const surroundings = { sql, deployment, clock: systemClock, log: createLogger('silent') }
  const served = { ...surroundings, rpc: createRpc({ url: venue.rpcUrl }) }
  const mount = stock.open(served, loadValues({})).serve({ auth: { verifier } as Auth, desk: openSendDesk(served) })
  const app = await createServer({
    mounts: [mount],
    venue: served,
    rateLimiter: { limit: 1, take: () => ({ allowed: true, remaining: 1, resetSec: 1 }) },
    trustedProxies: [],
    health: { notReady: async () => [], status: async () => ({}), metrics: new Registry() },
    reasonTables: [],
    streams: TEST_STREAMS,
  })
  return {
    app,
    product: mount,
    key,
    async close() {
      await app.close()
      await sql.end({ timeout: 5 })
    },
  }
}
