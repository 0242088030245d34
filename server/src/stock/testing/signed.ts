import { randomBytes, randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { Type } from 'typebox'
import { KeyDirectory } from '../../auth/key-directory.ts'
import { createKey, disableKey, type IssuedKey, type NewKey, rotateKey } from '../../auth/keys.ts'
import { memoryNonceStore } from '../../auth/nonce-store.ts'
import { parseMasterKeys } from '../../auth/secrets.ts'
import { nextRevision } from '../../auth/store.ts'
import { Verifier } from '../../auth/verifier.ts'
import { inTransaction } from '../../db/pool.ts'
import { testDatabase } from '../../db/testing.ts'
import type { Route, RouteRequest } from '../../http/product.ts'
import { memoryRateLimiter } from '../../http/rate-limit.ts'
import { createServer } from '../../http/server.ts'
import { TEST_STREAMS, testReference, testVenue } from '../../http/testing.ts'
import { stockEnvelope } from '../envelope.ts'
import { stockScheme } from '../scheme.ts'
import { signRequest } from '../signing.ts'

export const START_MS = 1_700_000_000_000
const CHAIN_ID = 31337
const PRODUCT = 'Bourse'

/** A request to be signed and sent; what is left out is filled in correctly. */
export interface Sent {
  method?: 'GET' | 'POST' | 'DELETE' | 'PUT'
  /** The target below the prefix. */
  uri?: string
  /** What is signed in its place. */
  signedUri?: string
  body?: string
  signedBody?: string
  key?: IssuedKey
  chainId?: number
  timestampMs?: number
  nonce?: string
  headers?: Record<string, string | undefined>
  remoteAddress?: string
}

export type SignedServer = Awaited<ReturnType<typeof startSignedServer>>

/** The stock API's signing and envelope over three small operations, with real keys in a real database. */
export async function startSignedServer() {
  const masterKeys = parseMasterKeys(randomBytes(32).toString('hex'))
  const db = await testDatabase()
  const keys = await KeyDirectory.start({ sql: db.sql, masterKeys, log: pino({ level: 'silent' }) })
  const handled: RouteRequest[] = []
  let nowMs = START_MS
  const clock = { nowMs: () => nowMs }

  async function issue(over: Partial<NewKey> = {}): Promise<IssuedKey> {
    const plain = { label: 'test', access: 'WRITABLE', chainId: CHAIN_ID, productType: PRODUCT } as const
    const open = { ipWhitelist: ['127.0.0.1'], userAddress: null, expiresAt: null }
    const key = await createKey(db.sql, masterKeys, { ...plain, ...open, ...over }, 'test')
    await keys.refresh()
    return key
  }
  const writer = await issue({ userAddress: '0x00000000000000000000000000000000000000AB' })
  const reader = await issue({ access: 'READ_ONLY' })
  const nonces = memoryNonceStore({ nowMs: () => START_MS - 3_600_000 })
  const scheme = stockScheme(new Verifier({ keys, nonces, clock }), { chainId: CHAIN_ID, productType: PRODUCT })
  const app = await createServer({
    mounts: [
      {
        name: 'stock',
        prefix: '/stock',
        owns: [{ path: '/api/v1', unknown: 'key' }],
        envelope: stockEnvelope,
        scheme,
        routes: echoRoutes(handled),
        reference: testReference,
      },
    ],
    venue: testVenue({ clock }),
    rateLimiter: memoryRateLimiter({ limit: 1_000_000, windowMs: 60_000 }, clock),
    trustedProxies: ['10.0.0.1'],
    health: { notReady: async () => [], status: async () => ({}), metrics: new Registry() },
    reasonTables: [],
    streams: TEST_STREAMS,
  })

  return {
    writer,
    reader,
    /** What reached a handler. */
    handled,
    issue,

    setNow(ms: number) {
      nowMs = ms
    },

    /** A key that expires by the venue's clock, which stands in the past. */
    async issueUntil(expiresAtMs: number): Promise<IssuedKey> {
      const key = await issue()
      await inTransaction(db.sql, async (tx) => {
        const revision = await nextRevision(tx)
        await tx`update api_keys set expires_at = ${new Date(expiresAtMs)}, revision = ${revision}
          where api_key = ${key.apiKey}`
      })
      await keys.refresh()
      return key
    },

    async disable(key: IssuedKey) {
      await disableKey(db.sql, key.apiKey, 'test')
      await keys.refresh()
    },

    async rotate(key: IssuedKey) {
      await rotateKey(db.sql, masterKeys, key.apiKey, 'test')
      await keys.refresh()
    },

    async send(sent: Sent = {}) {
      const { method = 'GET', uri = '/api/v1/orders', key = writer } = sent
      const signed = signRequest({
        method,
        uri: sent.signedUri ?? uri,
        body: sent.signedBody ?? sent.body ?? '',
        ...key,
        chainId: sent.chainId ?? CHAIN_ID,
        productType: PRODUCT,
        timestampMs: sent.timestampMs ?? nowMs,
        nonce: sent.nonce ?? randomUUID(),
      })
      const all: Record<string, string | undefined> = { ...signed, ...sent.headers }
      if (sent.body !== undefined) all['content-type'] ??= 'application/json'
      const headers = Object.fromEntries(Object.entries(all).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])))
      const request = { method, url: `/stock${uri}`, headers, remoteAddress: sent.remoteAddress ?? '127.0.0.1' }
      return app.inject(sent.body === undefined ? request : { ...request, payload: sent.body })
    },

    async close() {
      await app.close()
      await keys.close()
      await db.drop()
    },
  }
}

/** Operations that answer with what reached them. */
function echoRoutes(handled: RouteRequest[]): Route[] {
  const handler = async (request: RouteRequest) => {
    handled.push(request)
    return { query: request.query, body: request.body ?? null, caller: request.caller }
  }
  const query = Type.Object({
    page: Type.Optional(Type.Integer()),
    limit: Type.Optional(Type.Integer()),
    status: Type.Optional(Type.String()),
  })
  const body = Type.Object({ notional: Type.Union([Type.String(), Type.Number()]) })
  const params = Type.Object({ orderId: Type.String() })
  const data = Type.Any()
  return [
    { method: 'GET', path: '/api/v1/orders', summary: '', access: 'READ_ONLY', schema: { query, data }, handler },
    { method: 'POST', path: '/api/v1/orders', summary: '', access: 'WRITABLE', schema: { body, data }, handler },
    {
      method: 'DELETE',
      path: '/api/v1/orders/:orderId',
      summary: '',
      access: 'WRITABLE',
      schema: { params, data },
      handler,
    },
  ]
}
