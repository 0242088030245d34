import type { FastifyInstance } from 'fastify'
import { createKey } from '../../auth/keys.ts'
import { Verifier } from '../../auth/verifier.ts'
import type { DevelopmentAccount } from '../../chain/embedded/accounts.ts'
import { createRpc } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import { createPool } from '../../db/pool.ts'
import type { Route } from '../../http/product.ts'
import { memoryRateLimiter } from '../../http/rate-limit.ts'
import { testServer, testVenue } from '../../http/testing.ts'
import {
  type Arrange,
  type SoundRequest,
  type StatusAnswer,
  statusTests,
  targetOf,
  withUnknownParameter,
} from '../../http/testing-statuses.ts'
import { freePort } from '../../lib/free-port.ts'
import { WAD } from '../../lib/wad.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { perpReference } from '../reference.ts'
import { PERP_PRODUCT } from '../variables.ts'
import { type AccessVenue, type KeyedUser, startAccessVenue } from './access-venue.ts'
import { CHAIN_ID } from './chain.ts'
import { keyHeaders, keyOf, servedPerp, type TestKey } from './key-api.ts'
import { caughtUp, follow } from './market-world.ts'
import { addRange, approveGate, cancel, place, trade } from './trader.ts'

// The documented statuses of the perpetual operations: on the contracts, indexed, with a relayer and keys that sign.

/** BTC/USDC, as bodies name it. */
export const PAIR = { instrument: 'BTC/USDC', expiry: PERPETUAL_EXPIRY } as const

export interface StatusDesk {
  readonly venue: AccessVenue
  readonly btc: Hex
  /** Has enabled One Click, a position, orders and a range. */
  readonly user: KeyedUser
  /** The account of the user, and one that trades against it. */
  readonly accounts: readonly [DevelopmentAccount, DevelopmentAccount]
  /** Waits until the block that is now the newest is indexed. */
  indexed(): Promise<void>
  /** The pair's present tick. */
  tick(): Promise<number>
  /** Places an order of the user so many ticks from the price, which must not reach it; says its oid. */
  place(ticks: number): Promise<string>
}

/** `METHOD /path` of an operation, as its `defineRoute` has them. */
type OperationName = `${Route['method']} /v4/public/${string}`

type SigningKey = Pick<TestKey, 'apiKey' | 'apiSecret'>

interface Servers extends StatusDesk {
  /** The API over its world, at rest. */
  readonly api: FastifyInstance
  /** Nobody may send any more. */
  readonly limited: FastifyInstance
  /** Database, node and nonce store are away; keys are known. */
  readonly broken: FastifyInstance
  /** Lacks the permission trade. */
  readonly reader: SigningKey
  /** Is bound to no wallet. */
  readonly unbound: SigningKey
  close(): Promise<void>
}

/** An address of another machine. */
const AFAR = '203.0.113.7'

/** What answers without database and node fails only where a key cannot be judged. */
const ASKS_NOBODY = /\/serverTime$/

const documented = testVenue({
  deployment: { chainId: CHAIN_ID, startBlock: 0n, contracts: { Gate: `0x${'9'.repeat(40)}` } },
})

const { describeStatuses: describeEach, operationNames } = statusTests<Servers>({
  routes: servedPerp(documented, {} as never).routes,
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
export const describeStatuses = (operations: Readonly<Record<OperationName, Arrange<StatusDesk>>>): void =>
  describeEach(operations)

/** Refused for a permission, for a wallet, or where neither is asked for because it came by plain HTTP. */
function forbidden({ api, reader, unbound, user }: Servers, route: Route, sound: SoundRequest): Promise<StatusAnswer> {
  if (route.access === 'WRITABLE') return ask(api, route, sound, reader)
  const isForWallets = route.reasons?.some(({ name }) => name === 'key_not_bound') ?? false
  return isForWallets ? ask(api, route, sound, unbound) : ask(api, route, sound, keyFor(route, user.key), AFAR)
}

const keyFor = ({ access }: Route, key: SigningKey): SigningKey | null =>
  access === 'READ_ONLY' || access === 'WRITABLE' ? key : null

/** Signs with another secret. */
const forged = ({ apiKey }: SigningKey): SigningKey => ({ apiKey, apiSecret: '0'.repeat(64) })

async function ask(
  app: FastifyInstance,
  route: Route,
  sound: SoundRequest,
  key: SigningKey | null,
  remoteAddress = '127.0.0.1',
): Promise<StatusAnswer> {
  const { method } = route
  const url = targetOf(route, sound)
  const payload = sound.body === undefined ? '' : JSON.stringify(sound.body)
  const type: Record<string, string> = sound.body === undefined ? {} : { 'content-type': 'application/json' }
  const headers = { ...type, ...(key === null ? {} : keyHeaders(key, method, url, payload)) }
  const {
    statusCode: status,
    headers: answered,
    payload: text,
  } = await app.inject({
    method,
    url,
    headers,
    payload,
    remoteAddress,
  })
  const { code, data } = JSON.parse(text)
  return { status, code, reason: answered['x-error-reason'] as string | undefined, data, text }
}

async function openServers(): Promise<Servers> {
  const venue = await startAccessVenue()
  const { chain, database, api: process } = venue
  const stopFollowing = follow(chain, database)
  const [user, btc] = [await venue.user(0), await chain.instrument('BTC/USDC')]
  const accounts = chain.accounts.users.slice(0, 2) as [DevelopmentAccount, DevelopmentAccount]
  const apps = await serve(venue)
  const desk = deskOf(venue, user, btc, accounts)
  await setUp(desk)
  return {
    ...desk,
    ...apps,
    reader: await keyOf(process, user.account, { permissions: ['read'] }),
    unbound: await unboundKey(venue),
    async close() {
      for (const app of Object.values(apps)) await app.close()
      await stopFollowing()
      await venue.stop()
    },
  }
}

function deskOf(
  venue: AccessVenue,
  user: KeyedUser,
  btc: Hex,
  accounts: readonly [DevelopmentAccount, DevelopmentAccount],
): StatusDesk {
  const { chain, database } = venue
  const tick = async () => (await chain.readInstrument(btc, 'getAmm', [PERPETUAL_EXPIRY])).tick
  return {
    venue,
    btc,
    user,
    accounts,
    tick,
    indexed: () => caughtUp(chain, database.sql),
    async place(ticks) {
      const at = (await tick()) + ticks
      const order = { tick: at, size: ticks < 0 ? WAD / 50n : -WAD / 50n, margin: 1000n * WAD }
      if ((await place(chain, accounts[0], btc, order)) !== 'success') throw new Error('the order is not placed')
      const { oids } = await chain.readInstrument(btc, 'getPortfolio', [PERPETUAL_EXPIRY, user.address])
      const placed = oids.find((oid) => tickOf(oid) === at)
      if (placed === undefined) throw new Error(`no order rests at ${at}`)
      return String(placed)
    },
  }
}

/** The tick of an order by its oid. */
const tickOf = (oid: number | string): number => Math.floor(Number(oid) / 2 ** 24)

/** What most operations tell of, or act on. */
async function setUp({ venue: { chain }, user, btc, accounts, place: rest, indexed }: StatusDesk): Promise<void> {
  const outcomes = []
  for (const account of accounts) outcomes.push(await approveGate(chain, account, btc))
  const [own] = accounts
  outcomes.push(await trade(chain, own, btc, WAD, 30_000n * WAD))
  outcomes.push(await addRange(chain, own, btc, 40_000n * WAD, 1000))
  await rest(-40)
  outcomes.push(await cancel(chain, own, btc, tickOf(await rest(-60))))
  if (outcomes.includes('reverted')) throw new Error(`the desk is not set up: ${outcomes}`)
  await user.enable()
  await indexed()
}

/** The product three times over, as an api process serves it but for the limits of its callers. */
async function serve({ api: { venue, auth }, database }: AccessVenue) {
  const unlimited = memoryRateLimiter({ limit: 1_000_000, windowMs: 60_000 }, venue.clock)
  const exhausted = memoryRateLimiter({ limit: 0, windowMs: 60_000 }, venue.clock)
  const mounts = [servedPerp(venue, auth)]
  const pool = createPool({ url: database.url, maxConnections: 1, applicationName: 'gone' })
  await pool.end()
  const gone = { ...venue, sql: pool, rpc: createRpc({ url: `http://127.0.0.1:${await freePort()}` }) }
  const nonces = { consume: () => false, probe: () => Promise.reject(new Error('the nonce store is away')) }
  const verifier = new Verifier({ keys: auth.keys, nonces, clock: venue.clock })
  return {
    api: await testServer([], { mounts, venue, keyLimiter: () => unlimited }),
    limited: await testServer([], { mounts, venue, rateLimiter: exhausted, keyLimiter: () => exhausted }),
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
