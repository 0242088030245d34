import { Check } from 'typebox/value'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Verifier, type VerifierOptions } from '../../auth/verifier.ts'
import { saveSigner } from '../../chain/send/store.ts'
import { openApiDocument } from '../../http/openapi.ts'
import type { Route, Venue } from '../../http/product.ts'
import type { Scheme } from '../../http/scheme.ts'
import { testVenue } from '../../http/testing.ts'
import { closed } from '../../http/validation.ts'
import { systemClock } from '../../lib/clock.ts'
import { stockContext } from '../context.ts'
import { stockReference } from '../reference.ts'
import { stockRoutes } from '../routes/register.ts'
import { stockScheme } from '../scheme.ts'
import { type ApiAnswer, ScriptedNode, serveApi } from './api.ts'
import { CHAIN_ID, deployment, randomHash } from './chain.ts'
import { KeeperWorld } from './keeper.ts'
import type { OrderDesk } from './orders.ts'
import { SUBMITTER, signQueued } from './submitter.ts'

// Each status that the reference documents of an operation, shown by an answer of the operation itself.

/** A request that its operation answers with success. */
export interface SoundRequest {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface StatusDesk extends OrderDesk {
  readonly node: ScriptedNode
}

/** Puts on chain what an operation needs, and says how it is asked. */
export type Arrange = (desk: StatusDesk) => SoundRequest | Promise<SoundRequest>

/** `METHOD /path` of an operation, as its `defineRoute` has them. */
export type OperationName = `${Route['method']} /api/v1/${string}`

type Api = Awaited<ReturnType<typeof serveApi>>

const ONE_CLICK_CONTRACTS = { OneClickRouter: `0x${'8'.repeat(40)}`, OperatorPool: `0x${'9'.repeat(40)}` } as const
const withOneClick = { ...deployment, contracts: { ...deployment.contracts, ...ONE_CLICK_CONTRACTS } }

const routes = stockRoutes(stockContext(testVenue({ deployment: withOneClick }), 'Bourse'))
const reference = stockReference(CHAIN_ID, 'Bourse')
const document = openApiDocument({ name: 'stock', prefix: '', routes, reference })

/**
 * Asks each of these operations so that it answers with every status that is documented of it. A documented status that
 * nothing here can show is a failed test, and so is an answer that is not as documented.
 */
export function describeStatuses(operations: Readonly<Record<OperationName, Arrange>>): void {
  describe('each documented status', () => {
    let servers: Servers
    beforeAll(async () => {
      servers = await openServers()
    }, 60_000)
    afterAll(() => servers.close())

    describe.each(Object.entries(operations))('of %s', (name, arrange) => {
      const route = routeOf(name)
      let sound: SoundRequest
      beforeAll(async () => {
        sound = await arrange(servers)
      })

      it.each(documentedStatuses(route))('HTTP %i', async (status) => {
        const show = SHOWN[status]
        if (!show) throw new Error(`HTTP ${status} of ${name} is documented, and nothing here shows it`)
        expectDocumented(route, status, await show(servers, route, sound))
      })
    })
  })
}

/** The operations of the product, by the names that `describeStatuses` takes. */
export const operationNames = (): string[] => routes.map(nameOf)

const nameOf = ({ method, path }: Route): string => `${method} ${path}`

function routeOf(name: string): Route {
  const route = routes.find((one) => nameOf(one) === name)
  if (!route) throw new Error(`there is no operation ${name}`)
  return route
}

function documented({ method, path }: Route) {
  const operation = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
  if (!operation) throw new Error(`${method} ${path} is not documented`)
  return operation
}

const documentedStatuses = (route: Route): number[] => Object.keys(documented(route).responses).map(Number)

/** How an answer of each status is brought about. */
const SHOWN: Readonly<Record<number, (servers: Servers, route: Route, sound: SoundRequest) => Promise<ApiAnswer>>> = {
  200: ({ api }, route, sound) => ask(api, route, sound),
  400: ({ api }, route, sound) => ask(api, route, { ...sound, query: { ...sound.query, colour: 'red' } }),
  async 422({ api }, route, sound) {
    const key = { 'idempotency-key': randomHash() }
    const first = await api.send('POST', '/orders/tx', { txHash: randomHash() }, 'bound', key)
    expect(first.status).toBe(200)
    return ask(api, route, sound, key)
  },
  429: ({ limited }, route, sound) => ask(limited, route, sound),
  500: ({ broken }, route, sound) => ask(broken, route, sound),
  503: ({ keyless }, route, sound) => ask(keyless, route, sound),
}

function ask(api: Api, { method, path }: Route, sound: SoundRequest, headers?: Readonly<Record<string, string>>) {
  const { params = {}, query = {}, body } = sound
  const filled = path.replace('/api/v1', '').replaceAll(/:(\w+)/g, (_, name) => params[name] ?? '')
  const search = new URLSearchParams(query).toString()
  return api.send(method, search === '' ? filled : `${filled}?${search}`, body, 'bound', headers)
}

/** An answer has this status, and is what the reference says of it. */
function expectDocumented(route: Route, status: number, answer: ApiAnswer): void {
  expect(answer.status, answer.text).toBe(status)
  if (status === 200) {
    const schema = closed(route.schema.data)
    expect(Check(schema, answer.data), `${answer.text} is no ${JSON.stringify(schema)}`).toBe(true)
    return
  }
  const { code, reason } = answer
  expect(documented(route)['x-errors']).toContainEqual(expect.objectContaining({ status, code, reason }))
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
  const api = await serveApi(venue)
  const limited = await serveApi(venue, {
    rateLimiter: { limit: 1, take: () => ({ allowed: false, remaining: 0, resetSec: 1 }) },
  })
  const keyless = await serveApi(venue, { scheme: schemeOver({ ...noKeys, fresh: refuse }) })
  const broken = await serveApi(venue, { scheme: schemeOver({ ...noKeys, find: failUnforeseen }) })
  const submitter = signQueued(world.sql)
  return {
    world,
    node,
    api,
    limited,
    keyless,
    broken,
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
