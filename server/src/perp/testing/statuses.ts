import type { FastifyInstance } from 'fastify'
import { createKey } from '../../auth/keys.ts'
import { Verifier } from '../../auth/verifier.ts'
import { createRpc } from '../../chain/rpc.ts'
import { createPool } from '../../db/pool.ts'
import type { Route } from '../../http/product.ts'
import { memoryRateLimiter } from '../../http/rate-limit.ts'
import { testServer } from '../../http/testing.ts'
import { type SoundRequest, type StatusAnswer, statusTests, withUnknownParameter } from '../../http/testing-statuses.ts'
import { freePort } from '../../lib/free-port.ts'
import { perpReference } from '../reference.ts'
import { PERP_PRODUCT } from '../variables.ts'
import type { AccessVenue } from './access-venue.ts'
import { CHAIN_ID } from './chain.ts'
import { keyOf, servedPerp } from './key-api.ts'
import {
  ask,
  keyFor,
  openStatusDesk,
  perpOperations,
  type SigningKey,
  type SoundRequests,
  type StatusDesk,
} from './status-desk.ts'

// The documented statuses of the perpetual operations: on the contracts, indexed, with a relayer and keys that sign.

interface Servers extends StatusDesk {
  /** Nobody may send any more. */
  readonly limited: FastifyInstance
  /** Database, node and nonce store are away; keys are known. */
  readonly broken: FastifyInstance
  /** Lacks the permission trade. */
  readonly reader: SigningKey
  /** Is bound to no wallet. */
  readonly unbound: SigningKey
}

/** An address of another machine. */
const AFAR = '203.0.113.7'

/** What answers without database and node fails only where a key cannot be judged. */
const ASKS_NOBODY = /\/serverTime$/

const { describeStatuses: describeEach, operationNames } = statusTests<Servers>({
  routes: perpOperations,
  reference: perpReference(CHAIN_ID),
  open: openServers,
  shown: {
    200: ({ api, user }, route, sound) => ask(api, route, sound, keyFor(route, user.key)),
    400: ({ api, user }, route, sound) => ask(api, route, withUnknownParameter(sound), keyFor(route, user.key)),
    401: ({ api, accounts: [, stranger], user }, route, sound) =>
      route.access === 'WALLET'
        ? ask(api, route, { body: { ...(sound.body as object), address: stranger.address } }, null)
        : ask(api, route, sound, forged(user.key)),
    403: forbidden,
    429: ({ limited, user }, route, sound) => ask(limited, route, sound, keyFor(route, user.key)),
    500: ({ broken, user }, route, sound) =>
      ask(broken, route, sound, ASKS_NOBODY.test(route.path) ? forged(user.key) : keyFor(route, user.key)),
  },
})

export { operationNames }

/** Asks each of these operations so that it answers with every status that is documented of it. */
export const describeStatuses = (operations: SoundRequests): void => describeEach(operations)

/** Refused for a permission, for a wallet, or where neither is asked for because it came by plain HTTP. */
function forbidden({ api, reader, unbound, user }: Servers, route: Route, sound: SoundRequest): Promise<StatusAnswer> {
  if (route.access === 'WRITABLE') return ask(api, route, sound, reader)
  const isForWallets = route.reasons?.some(({ name }) => name === 'key_not_bound') ?? false
  return isForWallets
    ? ask(api, route, sound, unbound)
    : ask(api, route, sound, keyFor(route, user.key), { remoteAddress: AFAR })
}

/** Signs with another secret. */
const forged = ({ apiKey }: SigningKey): SigningKey => ({ apiKey, apiSecret: '0'.repeat(64) })

async function openServers(): Promise<Servers> {
  const desk = await openStatusDesk()
  const { venue, user } = desk
  const apps = await serveFailing(venue)
  return {
    ...desk,
    ...apps,
    reader: await keyOf(venue.api, user.account, { permissions: ['read'] }),
    unbound: await unboundKey(venue),
    async close() {
      for (const app of Object.values(apps)) await app.close()
      await desk.close()
    },
  }
}

/** The product as it refuses everybody, and as it fails. */
async function serveFailing({ api: { venue, auth }, database }: AccessVenue) {
  const unlimited = memoryRateLimiter({ limit: 1_000_000, windowMs: 60_000 }, venue.clock)
  const exhausted = memoryRateLimiter({ limit: 0, windowMs: 60_000 }, venue.clock)
  const pool = createPool({ url: database.url, maxConnections: 1, applicationName: 'gone' })
  await pool.end()
  const gone = { ...venue, sql: pool, rpc: createRpc({ url: `http://127.0.0.1:${await freePort()}` }) }
  const nonces = { consume: () => false, probe: () => Promise.reject(new Error('the nonce store is away')) }
  const verifier = new Verifier({ keys: auth.keys, nonces, clock: venue.clock })
  return {
    limited: await testServer([], {
      mounts: [servedPerp(venue, auth)],
      venue,
      rateLimiter: exhausted,
      keyLimiter: () => exhausted,
    }),
    broken: await testServer([], {
      mounts: [servedPerp(gone, { ...auth, verifier })],
      venue: gone,
      keyLimiter: () => unlimited,
    }),
  }
}

async function unboundKey({ api: { auth }, database }: AccessVenue): Promise<SigningKey> {
  const key = { label: 'unbound', access: 'WRITABLE', chainId: CHAIN_ID, productType: PERP_PRODUCT } as const
  const more = { ipWhitelist: [], userAddress: null, expiresAt: null }
  const issued = await createKey(database.sql, auth.masterKeys, { ...key, ...more }, 'test')
  await auth.keys.refresh()
  return issued
}
