import type { FastifyInstance } from 'fastify'
import type { DevelopmentAccount } from '../../chain/embedded/accounts.ts'
import type { Hex } from '../../chain/types.ts'
import type { Route } from '../../http/product.ts'
import { memoryRateLimiter } from '../../http/rate-limit.ts'
import { testServer, testVenue } from '../../http/testing.ts'
import { type Arrange, type SoundRequest, type StatusAnswer, targetOf } from '../../http/testing-statuses.ts'
import { WAD } from '../../lib/wad.ts'
import { PERPETUAL_EXPIRY } from '../listing/catalogue.ts'
import { type AccessVenue, type KeyedUser, startAccessVenue } from './access-venue.ts'
import { CHAIN_ID } from './chain.ts'
import { keyHeaders, servedPerp, type TestKey } from './key-api.ts'
import { caughtUp, follow } from './market-world.ts'
import { addRange, approveGate, cancel, place, trade } from './trader.ts'

// Every perpetual operation over HTTP: on the contracts, indexed, with a relayer, keys that sign, and an account that has something
// of everything.

const documented = testVenue({
  deployment: { chainId: CHAIN_ID, startBlock: 0n, contracts: { Gate: `0x${'9'.repeat(40)}` } },
})

/** The operations of the product, which are not to be asked. */
export const perpOperations: readonly Route[] = servedPerp(documented, {} as never).routes

export function operationOf(name: string): Route {
  const route = perpOperations.find(({ method, path }) => name === `${method} ${path}`)
  if (!route) throw new Error(`there is no operation ${name}`)
  return route
}

/** BTC/USDC, as bodies name it. */
export const PAIR = { instrument: 'BTC/USDC', expiry: PERPETUAL_EXPIRY } as const

export interface StatusDesk {
  readonly venue: AccessVenue
  /** The operations, without the limits of their callers. */
  readonly api: FastifyInstance
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
  /** Ends the indexer. */
  stopIndexing(): Promise<void>
  close(): Promise<void>
}

/** `METHOD /path` of an operation, as its `defineRoute` has them. */
export type OperationName = `${Route['method']} /v4/public/${string}`

/** How operations are asked so that each answers with success. */
export type SoundRequests = Readonly<Record<OperationName, Arrange<StatusDesk>>>

export type SigningKey = Pick<TestKey, 'apiKey' | 'apiSecret'>

export async function openStatusDesk(): Promise<StatusDesk> {
  const venue = await startAccessVenue()
  const { chain, database, api: process } = venue
  const stopIndexing = follow(chain, database)
  const [user, btc] = [await venue.user(0), await chain.instrument('BTC/USDC')]
  const accounts = chain.accounts.users.slice(0, 2) as [DevelopmentAccount, DevelopmentAccount]
  const unlimited = memoryRateLimiter({ limit: 1_000_000, windowMs: 60_000 }, process.venue.clock)
  const mounts = [servedPerp(process.venue, process.auth)]
  const api = await testServer([], {
    mounts,
    venue: process.venue,
    rateLimiter: unlimited,
    keyLimiter: () => unlimited,
  })
  const close = async () => {
    await api.close()
    await stopIndexing()
    await venue.stop()
  }
  const desk = { ...deskOf(venue, user, btc, accounts), api, stopIndexing, close }
  await setUp(desk)
  return desk
}

function deskOf(
  venue: AccessVenue,
  user: KeyedUser,
  btc: Hex,
  accounts: readonly [DevelopmentAccount, DevelopmentAccount],
): Omit<StatusDesk, 'api' | 'stopIndexing' | 'close'> {
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

export const keyFor = ({ access }: Route, key: SigningKey): SigningKey | null =>
  access === 'READ_ONLY' || access === 'WRITABLE' ? key : null

/** Asks for an operation. A body that is text goes out as it stands. */
export async function ask(
  app: FastifyInstance,
  route: Route,
  sound: SoundRequest,
  key: SigningKey | null,
  more: { readonly remoteAddress?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<StatusAnswer> {
  const { method } = route
  const { remoteAddress = '127.0.0.1' } = more
  const { body } = sound
  const url = targetOf(route, sound)
  const payload = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body)
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  const headers = { ...type, ...(key === null ? {} : keyHeaders(key, method, url, payload)), ...more.headers }
  const answer = await app.inject({ method, url, headers, payload, remoteAddress })
  const { statusCode: status, payload: text } = answer
  const { code, data } = JSON.parse(text)
  return { status, code, reason: answer.headers['x-error-reason'] as string | undefined, data, text }
}
