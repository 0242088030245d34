import { privateKeyToAccount } from 'viem/accounts'
import { expect } from 'vitest'
import type { Auth } from '../../auth/auth.ts'
import { parseMasterKeys } from '../../auth/secrets.ts'
import { Verifier, type VerifierOptions } from '../../auth/verifier.ts'
import { saveSigner } from '../../chain/send/store.ts'
import type { Hex } from '../../chain/types.ts'
import type { Caller } from '../../http/caller.ts'
import type { Route, Venue } from '../../http/product.ts'
import { memoryRateLimiter } from '../../http/rate-limit.ts'
import type { Scheme } from '../../http/scheme.ts'
import { testVenue } from '../../http/testing.ts'
import {
  type Arrange,
  type SoundRequest,
  statusTests,
  targetOf,
  withUnknownParameter,
} from '../../http/testing-statuses.ts'
import { systemClock } from '../../lib/clock.ts'
import { type SessionSignIn, signedInWallet } from '../access/sign-in.ts'
import { stockReference } from '../reference.ts'
import { stockRoutes } from '../routes/register.ts'
import { sessionRoutes } from '../routes/session/register.ts'
import { stockScheme } from '../scheme.ts'
import { namedCallers, ScriptedNode, serveApi } from './api.ts'
import { CHAIN_ID, deployment, randomHash } from './chain.ts'
import { testContext } from './context.ts'
import { KeeperWorld } from './keeper.ts'
import type { OrderDesk } from './orders.ts'
import { sessionRequest } from './session-api.ts'
import { SUBMITTER, signQueued } from './submitter.ts'

// The documented statuses of the stock operations: over a chain of named events, a node that says what is to be said, and keys by name.

export interface StatusDesk extends OrderDesk {
  readonly node: ScriptedNode
  /** What a wallet sends to open a session. */
  sessionRequest(): Promise<unknown>
  /** Opens a session, and says its key. */
  openSession(): Promise<string>
}

/** `METHOD /path` of an operation, as its `defineRoute` has them. */
type OperationName = `${Route['method']} /api/v1/${string}`

type Api = Awaited<ReturnType<typeof serveApi>>

const ONE_CLICK_CONTRACTS = { OneClickRouter: `0x${'8'.repeat(40)}`, OperatorPool: `0x${'9'.repeat(40)}` } as const
const withOneClick = { ...deployment, contracts: { ...deployment.contracts, ...ONE_CLICK_CONTRACTS } }

/** The wallet that opens sessions. */
const visitor = privateKeyToAccount(`0x${'7'.repeat(64)}`)
const HOST = 'localhost:80'
const SESSION_MS = 3_600_000
const SESSION_KEY = /^[0-9a-f]{32}$/
/** The directory of keys is asked for nothing but to learn of a new one. */
const keys = { learn: async () => {} } as unknown as Auth['keys']
const sessionAuth = { masterKeys: parseMasterKeys('5'.repeat(64)), keys }

/** Sessions end by the clock of the database, so that they have the world's. */
function routesOf(venue: Venue): readonly Route[] {
  const context = testContext(venue)
  const { chainId, productType } = context
  const timed = { ...venue, clock: systemClock }
  return [
    ...stockRoutes(context),
    ...sessionRoutes({ venue: timed, chainId, productType, auth: sessionAuth, sessionMs: SESSION_MS }),
  ]
}

const { describeStatuses: describeEach, operationNames } = statusTests<Servers>({
  routes: routesOf(testVenue({ deployment: withOneClick })),
  reference: stockReference(CHAIN_ID, 'Bourse'),
  open: openServers,
  shown: {
    200: ({ api }, route, sound) => ask(api, route, sound),
    400: ({ api }, route, sound) => ask(api, route, withUnknownParameter(sound)),
    async 422({ api }, route, sound) {
      const key = { 'idempotency-key': randomHash() }
      const first = await api.send('POST', '/orders/tx', { txHash: randomHash() }, 'bound', key)
      expect(first.status).toBe(200)
      return ask(api, route, sound, key)
    },
    429: ({ limited }, route, sound) => ask(limited, route, sound),
    500: ({ broken }, route, sound) => ask(broken, route, sound),
    503: ({ keyless }, route, sound) => ask(keyless, route, sound),
  },
})

export { operationNames }

/** Asks each of these operations so that it answers with every status that is documented of it. */
export const describeStatuses = (operations: Readonly<Record<OperationName, Arrange<StatusDesk>>>): void =>
  describeEach(operations)

function ask(api: Api, route: Route, sound: SoundRequest, headers?: Readonly<Record<string, string>>) {
  const target = targetOf(route, sound).replace('/api/v1', '')
  return api.send(route.method, target, sound.body, sound.key ?? 'bound', headers)
}

interface Servers extends StatusDesk {
  /** The API over its world, at rest. */
  readonly api: Api
  /** Nobody may send any more. */
  readonly limited: Api
  /** The keys cannot be looked up. */
  readonly keyless: Api
  /** The look-up of a key fails in a way that nobody foresaw. */
  readonly broken: Api
  close(): Promise<void>
}

async function openServers(): Promise<Servers> {
  const world = await KeeperWorld.open()
  const node = oneClickNode()
  const venue: Venue = { ...world.venue, deployment: withOneClick, rpc: node }
  const seen = { purposes: ['submit'], balanceWei: 1n, chainNonce: 0n, stoppedReason: null }
  await saveSigner(world.sql, { chainId: CHAIN_ID, signer: SUBMITTER }, seen)
  const routes = routesOf(venue)
  const api = await serveApi(venue, { routes, scheme: sessionsAndNames })
  const limited = await serveApi(venue, {
    routes,
    rateLimiter: memoryRateLimiter({ limit: 0, windowMs: 60_000 }, venue.clock),
  })
  const keyless = await serveApi(venue, { routes, scheme: schemeOver({ ...noKeys, fresh: refuse }) })
  const broken = await serveApi(venue, { routes, scheme: brokenScheme })
  const submitter = signQueued(world.sql)
  return {
    world,
    node,
    api,
    limited,
    keyless,
    broken,
    sessionRequest: signedSession,
    async openSession() {
      const { text, data } = await api.post('/session', await signedSession())
      expect(data, text).toMatchObject({ apiKey: expect.stringMatching(SESSION_KEY) })
      return data.apiKey
    },
    async close() {
      await submitter.stop()
      for (const server of [api, limited, keyless, broken]) await server.close()
      await world.drop()
    },
  }
}

/** A node on which every user is a contract wallet that has delegated to the pool. */
function oneClickNode(): ScriptedNode {
  const node = new ScriptedNode()
  node.answer('delegateOf', ONE_CLICK_CONTRACTS.OperatorPool)
  node.answer('nonces', 0n)
  node.answer('allowance', 10n ** 30n)
  node.answer('isValidSignature', '0x1626ba7e')
  node.code = '0x00'
  return node
}

const signedSession = () =>
  sessionRequest(visitor, { domain: HOST, uri: `http://${HOST}`, chainId: CHAIN_ID, issuedAt: new Date() })

/** Lets in the visitor's sessions by their keys, and others by their names. */
const sessionsAndNames: Scheme = {
  async authenticate(request, access): Promise<Caller> {
    const key = String(request.headers['x-api-key'])
    if (!SESSION_KEY.test(key)) return namedCallers.authenticate(request, access)
    return { keyId: key, sessionKey: key, access: 'WRITABLE', userAddress: visitor.address.toLowerCase() as Hex }
  },
  authenticateWallet(request, body, isHere) {
    const node = new ScriptedNode()
    const settings = { chainId: CHAIN_ID, sessionMs: SESSION_MS, origins: [], rpc: node, clock: systemClock }
    return signedInWallet(settings, request, body as SessionSignIn, isHere)
  },
}

const noKeys: VerifierOptions['keys'] = { find: () => undefined, fresh: () => undefined }
const refuse = () => Promise.reject(new Error('the database is away'))
const failUnforeseen = (): never => {
  throw new TypeError('nobody foresaw this')
}

const schemeOver = (keys: VerifierOptions['keys']): Scheme =>
  stockScheme(new Verifier({ keys, nonces: { consume: () => false, probe: () => null }, clock: systemClock }), {
    chainId: CHAIN_ID,
    productType: 'Bourse',
  })

/** Fails whoever asks, by an API key or by a wallet. */
const brokenScheme: Scheme = {
  authenticate: schemeOver({ ...noKeys, find: failUnforeseen }).authenticate,
  authenticateWallet: async () => failUnforeseen(),
}
