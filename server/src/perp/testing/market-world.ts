import { pino } from 'pino'
import type { TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { authReasons } from '../../auth/reasons.ts'
import { runFollower } from '../../chain/follow/follower.ts'
import { loadCheckpoint } from '../../chain/follow/store.ts'
import { chainProfile } from '../../chain/profiles.ts'
import type { Hex } from '../../chain/types.ts'
import type { Sql } from '../../db/pool.ts'
import { type TestDatabase, testDatabase } from '../../db/testing.ts'
import type { Caller } from '../../http/caller.ts'
import type { Venue } from '../../http/product.ts'
import type { Scheme } from '../../http/scheme.ts'
import { listen } from '../../http/server.ts'
import { testServer, testVenue } from '../../http/testing.ts'
import { closed } from '../../http/validation.ts'
import { sleep, systemClock } from '../../lib/clock.ts'
import { AppError } from '../../lib/errors.ts'
import type { StartingPrice } from '../../market/open.ts'
import { perpEnvelope } from '../envelope.ts'
import { perpEvents } from '../events.ts'
import { perpReference } from '../reference.ts'
import { clientMarketRoutes } from '../routes/client/register.ts'
import { marketRoutes } from '../routes/market/register.ts'
import { mmMarketRoutes } from '../routes/mm/market.ts'
import { perpStream } from '../streams/stream.ts'
import { PerpChain } from './chain.ts'
import { testContext } from './context.ts'

// The market's part of the perpetual API over HTTP: on a chain with the perpetual contracts, indexed into a database.

const READER: Caller = { keyId: 'reader', access: 'READ_ONLY', userAddress: null }

/** Lets in whoever sends the name of the one key there is. */
const namedReader: Scheme = {
  isSigned: ({ headers }) => headers['x-api-key'] !== undefined,
  async authenticate({ headers }) {
    if ((headers['x-api-key'] ?? headers['x-access-key']) === READER.keyId) return READER
    throw new AppError(authReasons.unauthenticated, 'Unauthorized')
  },
}

/** An answer of the API. */
export interface MarketAnswer {
  readonly status: number
  readonly code: number
  readonly msg: string
  // biome-ignore lint/suspicious/noExplicitAny: what is in it is what the test looks at
  readonly data: any
  readonly blockInfo?: { readonly height: number; readonly timestamp: number }
  readonly reason: string | null
  /** The body as it went over the wire. */
  readonly text: string
}

export class MarketWorld {
  readonly chain: PerpChain
  readonly venue: Venue
  readonly url: string
  readonly #closing: readonly (() => Promise<unknown>)[]
  /** What each path answers, and nothing else. */
  readonly #schemas: ReadonlyMap<string, TSchema>

  private constructor(chain: PerpChain, venue: Venue, url: string, closing: readonly (() => Promise<unknown>)[]) {
    this.chain = chain
    this.venue = venue
    this.url = url
    this.#closing = closing
    this.#schemas = new Map(mountOf(venue).routes.map(({ path, schema }) => [path, closed(schema.data)]))
  }

  static async start(prices?: readonly StartingPrice[], chainId?: number): Promise<MarketWorld> {
    const [chain, database] = await Promise.all([PerpChain.start(prices, chainId), testDatabase()])
    const venue = testVenue({
      sql: database.sql,
      rpc: chain.rpc,
      clock: systemClock,
      deployment: chain.deployment,
      log: pino({ level: 'silent' }),
    })
    const stopFollowing = follow(chain, database)
    const { url, close } = await serveMarket(venue)
    return new MarketWorld(chain, venue, url, [close, stopFollowing, () => database.drop(), () => chain.stop()])
  }

  /** Waits until the block that is now the newest is indexed. */
  indexed(): Promise<void> {
    return caughtUp(this.chain, this.venue.sql)
  }

  /** Asks as a key that may read, or as nobody where `key` is null. Throws where the answer is not as its operation says. */
  async get(path: string, query?: MarketQuery, key?: string | null): Promise<MarketAnswer> {
    const answer = await getMarket(this.url, path, query, key)
    if (answer.code !== 0) return answer
    const schema = this.#schemas.get(path)
    if (!schema || !Check(schema, answer.data)) throw new Error(`${path} does not say of this answer: ${answer.text}`)
    return answer
  }

  async close(): Promise<void> {
    for (const close of this.#closing) await close()
  }
}

export type MarketQuery = Readonly<Record<string, string | number>>

/** Asks the API at an address, as a key that may read, or as nobody where `key` is null. */
export async function getMarket(
  url: string,
  path: string,
  query: MarketQuery = {},
  key: string | null = READER.keyId,
): Promise<MarketAnswer> {
  const pairs = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  const headers: Record<string, string> = key === null ? {} : { 'x-api-key': key }
  const response = await fetch(`${url}${path}?${pairs}`, { headers })
  const text = await response.text()
  const body = JSON.parse(text) as Omit<MarketAnswer, 'status' | 'reason' | 'text'>
  return { ...body, status: response.status, reason: response.headers.get('x-error-reason'), text }
}

/** Serves the market of a venue. */
export async function serveMarket(venue: Venue): Promise<{ readonly url: string; close(): Promise<unknown> }> {
  const app = await testServer([], { mounts: [mountOf(venue)], venue })
  return { url: await listen(app, { host: '127.0.0.1', port: 0 }), close: () => app.close() }
}

function mountOf(venue: Venue) {
  const context = testContext(venue)
  return {
    name: 'perp',
    prefix: '',
    envelope: perpEnvelope,
    scheme: namedReader,
    owns: [{ path: '/v4/public', unknown: 'key' as const }],
    routes: [...marketRoutes(context), ...mmMarketRoutes(context), ...clientMarketRoutes(context)],
    stream: perpStream(context),
    reference: perpReference(venue.deployment.chainId),
  }
}

/** Waits until the block that is now the newest is indexed. */
export async function caughtUp({ rpc, deployment }: PerpChain, sql: Sql): Promise<void> {
  const head = BigInt(await rpc.call<Hex>('eth_blockNumber'))
  while (((await loadCheckpoint(sql, deployment.chainId))?.tip.number ?? -1n) < head) await sleep(20)
}

/** Indexes the chain until the function that it returns is called. */
export function follow({ rpc, deployment }: PerpChain, { sql }: TestDatabase): () => Promise<void> {
  const controller = new AbortController()
  const ended = runFollower({
    sql,
    rpc,
    deployment,
    profile: chainProfile(deployment.chainId),
    modules: [perpEvents],
    log: pino({ level: 'silent' }),
    pollMs: 20,
    confirmMs: 5,
    signal: controller.signal,
  })
  ended.catch(() => {})
  return () => {
    controller.abort()
    return ended
  }
}
