import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { type LocalAccount, toHex } from 'viem'
import type { Auth } from '../../auth/auth.ts'
import { KeyDirectory } from '../../auth/key-directory.ts'
import { memoryNonceStore } from '../../auth/nonce-store.ts'
import { type MasterKeys, parseMasterKeys } from '../../auth/secrets.ts'
import { Verifier } from '../../auth/verifier.ts'
import type { Rpc } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import type { Sql } from '../../db/pool.ts'
import { openSendDesk } from '../../delegation/send-desk.ts'
import { configuredWith } from '../../delegation/testing-values.ts'
import type { Venue } from '../../http/product.ts'
import { listen } from '../../http/server.ts'
import { DEFAULT_STREAM_LIMITS } from '../../http/stream-source.ts'
import { testServer, testVenue } from '../../http/testing.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { perp } from '../index.ts'

// The perpetual API as an api process serves it: over HTTP, with its own directory of keys, on a database and a node.

export const CHAIN_ID = 31_337
const TRADER = '/v4/public/trader/'

export interface ApiWorld {
  readonly sql: Sql
  readonly rpc: Rpc
  readonly chainId?: number
  readonly contracts?: Readonly<Record<string, Hex>>
  readonly clock?: Clock
  readonly environment?: Readonly<Record<string, string>>
}

/** What belongs to a venue's processes together. */
export const testMasterKeys = (): MasterKeys => parseMasterKeys(randomBytes(32).toString('hex'))

/** One api process. */
export interface PerpApi {
  readonly url: string
  readonly app: FastifyInstance
  readonly venue: Venue
  readonly auth: Auth
  /** Runs what the process does beside answering, until it is closed. */
  close(): Promise<void>
}

export async function servePerp(world: ApiWorld, masterKeys: MasterKeys): Promise<PerpApi> {
  const { sql, rpc, chainId = CHAIN_ID, clock = systemClock } = world
  const log = pino({ level: 'silent' })
  const contracts = world.contracts ?? { Gate: `0x${'9'.repeat(40)}` }
  const venue = testVenue({ sql, rpc, clock, log, deployment: { chainId, startBlock: 0n, contracts } })
  const keys = await KeyDirectory.start({ sql, masterKeys, log })
  const nonces = memoryNonceStore(clock)
  const auth = { verifier: new Verifier({ keys, nonces, clock }), keys, nonces, masterKeys }
  const served = servedPerp(venue, auth, world.environment)
  const app = await testServer([], {
    mounts: [served],
    venue,
    streams: { limits: DEFAULT_STREAM_LIMITS, isKeyLive: (caller) => keys.isLive(caller, clock.nowMs()) },
  })
  const stopping = new AbortController()
  const services = served.services.map((service) => service.run(venue, stopping.signal))
  return {
    url: await listen(app, { host: '127.0.0.1', port: 0 }),
    app,
    venue,
    auth,
    async close() {
      await app.close()
      stopping.abort()
      await Promise.all(services)
      await keys.close()
    },
  }
}

/** The product as an api process serves it. */
export function servedPerp(venue: Venue, auth: Auth, environment: Readonly<Record<string, string>> = {}) {
  return perp.open(venue, configuredWith([perp.variables], environment)).serve({ auth, desk: openSendDesk(venue) })
}

/** An answer of the API. */
export interface PerpAnswer {
  readonly status: number
  readonly reason: string | null
  readonly code: number
  readonly msg: string
  // biome-ignore lint/suspicious/noExplicitAny: what is in it is what the test looks at
  readonly data: any
  readonly blockInfo?: { readonly height: number; readonly timestamp: number }
  readonly headers: Headers
}

async function answerOf(response: Response): Promise<PerpAnswer> {
  const body = (await response.json()) as Omit<PerpAnswer, 'status' | 'reason' | 'headers'>
  return {
    ...body,
    status: response.status,
    reason: response.headers.get('x-error-reason'),
    headers: response.headers,
  }
}

export interface TestKey {
  readonly apiKey: string
  readonly apiSecret: string
  readonly passphrase: string
}

/** A signed request below /v4/public/trader/. */
export async function signed(
  { url }: Pick<PerpApi, 'url'>,
  key: Omit<TestKey, 'passphrase'>,
  method: 'GET' | 'POST',
  path: string,
  body?: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, string>> = {},
): Promise<PerpAnswer> {
  const text = body === undefined ? '' : JSON.stringify(body)
  const own = keyHeaders(key, method, `${TRADER}${path}`, text)
  const headers = { ...own, 'Content-Type': 'application/json', ...more }
  return answerOf(await fetch(`${url}${TRADER}${path}`, { method, headers, ...(body ? { body: text } : {}) }))
}

/** The headers of a request that a key signs (perp-api 1.3). */
export function keyHeaders(
  { apiKey, apiSecret }: Omit<TestKey, 'passphrase'>,
  method: string,
  uri: string,
  body: string,
): Record<string, string> {
  const timestamp = String(Date.now())
  const message = `${timestamp}${method}${uri}${body}`
  return {
    'X-Api-Key': apiKey,
    'X-Api-Sign': createHmac('sha256', apiSecret).update(message).digest('base64'),
    'X-Api-Ts': timestamp,
    'X-Chain-Id': String(CHAIN_ID),
  }
}

/** A GET below /v4/public/mm/, with the older headers (perp-api 1.3). */
export async function signedMm(
  { url }: Pick<PerpApi, 'url'>,
  { apiKey, apiSecret, passphrase }: TestKey,
  path: string,
): Promise<PerpAnswer> {
  const timestamp = new Date().toISOString()
  const message = `${timestamp}GET/v4/public/mm/${path}`
  const headers = {
    'X-ACCESS-KEY': apiKey,
    'X-ACCESS-SIGN': createHmac('sha256', apiSecret).update(message).digest('base64'),
    'X-ACCESS-TIMESTAMP': timestamp,
    'X-ACCESS-PASSPHRASE': passphrase,
  }
  return answerOf(await fetch(`${url}/v4/public/mm/${path}`, { headers }))
}

/** The text of perp-api 3, written anew from the sheet. */
export const keyText = (fields: Readonly<Record<string, unknown>>, brand = 'Bourse'): string =>
  `Chain ID: ${fields.chainID}\nWallet Address: ${String(fields.address).toLowerCase()}\nNonce: ${fields.nonce}\nTimestamp: ${fields.timestamp}\nSign this message to authenticate with ${brand} API.`

/** What a wallet sends for a key, with other values where given; signed over what it holds unless `signature` is given. */
export async function keyRequest(
  account: LocalAccount,
  over: Readonly<Record<string, unknown>> = {},
  brand?: string,
): Promise<Record<string, unknown>> {
  const fields = {
    chainID: CHAIN_ID,
    address: account.address.toLowerCase(),
    nonce: randomUUID(),
    timestamp: Date.now(),
  }
  const sent = { ...fields, ...over }
  return { signature: await account.signMessage({ message: keyText(sent, brand) }), ...sent }
}

/** A request for a key as it is given; no header says anything. */
export async function createKeyWith({ url }: Pick<PerpApi, 'url'>, body: unknown): Promise<PerpAnswer> {
  const headers = { 'content-type': 'application/json' }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return answerOf(await fetch(`${url}${TRADER}api-key/create`, { method: 'POST', headers, body: text }))
}

/** A wallet's key. */
export async function keyOf(
  api: Pick<PerpApi, 'url'>,
  account: LocalAccount,
  over: Readonly<Record<string, unknown>> = {},
): Promise<TestKey> {
  const { status, msg, data } = await createKeyWith(api, await keyRequest(account, over))
  if (status !== 200) throw new Error(msg)
  return data as TestKey
}

/** The signature's twin: the same account, another text of bytes. */
export function twinOf(signature: Hex): Hex {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const s = toHex(order - BigInt(`0x${signature.slice(66, 130)}`), { size: 32 })
  return `${signature.slice(0, 66)}${s.slice(2)}${signature.endsWith('1b') ? '1c' : '1b'}` as Hex
}
