import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import { HmacSha256 } from '../src/auth/hmac.ts'
import type { LiveKey } from '../src/auth/key-directory.ts'
import { memoryNonceStore } from '../src/auth/nonce-store.ts'
import { Verifier } from '../src/auth/verifier.ts'
import { createRpc } from '../src/chain/rpc.ts'
import { createPool } from '../src/db/pool.ts'
import { documentedProduct } from '../src/http/mount.ts'
import type { DocumentedProduct } from '../src/http/openapi.ts'
import { createServer } from '../src/http/server.ts'
import { systemClock } from '../src/lib/clock.ts'
import { createLogger } from '../src/lib/logger.ts'
import { venueProducts } from '../src/roles/products.ts'
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
    active: true,
    expiresAtMs: null,
    ipWhitelist: new Set(['127.0.0.1']),
    scopes: [{ chainId, productType: 'Bourse', access: 'WRITABLE' }],
    userAddress: venue.accounts[0]?.address.toLowerCase() as `0x${string}`,
  }
  const keys = { find: (id: string) => (id === key.apiKey ? live : undefined), fresh: () => undefined }
  const verifier = new Verifier({ keys, nonces: memoryNonceStore({ nowMs: () => 0 }), clock: systemClock })
  const deployment = { chainId, startBlock: 0n, contracts: venue.contracts }
  const surroundings = { sql, deployment, clock: systemClock, log: createLogger('silent') }
  const mounts = venueProducts({ chainId, stockPrefix: '/stock', stockProduct: 'Bourse' }).map(
    ({ scheme, ...mount }) => ({ ...mount, scheme: scheme(verifier) }),
  )
  const [mount] = mounts
  if (!mount) throw new Error('the venue has no product')
  const served = { ...surroundings, rpc: createRpc({ url: venue.rpcUrl }) }
  const app = await createServer({
    mounts,
    venue: served,
    rateLimiter: { limit: 1, take: () => ({ allowed: true, remaining: 1, resetSec: 1 }) },
    trustedProxies: [],
    health: { notReady: async () => [], status: async () => ({}), metrics: new Registry() },
    reasonTables: [],
  })
  return {
    app,
    product: documentedProduct(mount, served),
    key,
    async close() {
      await app.close()
      await sql.end({ timeout: 5 })
    },
  }
}
