import { pino } from 'pino'
import { Registry } from 'prom-client'
import { Type } from 'typebox'
import type { Rpc } from '../chain/rpc.ts'
import type { Sql } from '../db/pool.ts'
import { jsonNumber } from '../lib/decimal.ts'
import { AppError, defineReasons } from '../lib/errors.ts'
import type { Mount } from './admission.ts'
import type { Access } from './caller.ts'
import { PreparedJson } from './prepared-json.ts'
import type { Envelope, Route, RouteRequest, Venue } from './product.ts'
import { memoryRateLimiter } from './rate-limit.ts'
import { httpReasons } from './reasons.ts'
import type { ProductReference } from './reference.ts'
import type { Scheme, SignedRequest } from './scheme.ts'
import { createServer, type ServerOptions } from './server.ts'
import type { StreamSettings } from './stream-server.ts'
import { DEFAULT_STREAM_LIMITS } from './stream-source.ts'

const testReasons = defineReasons({
  test_unauthenticated: { kind: 'unauthenticated', retryable: false, doc: 'A test request without its key.' },
  test_conflict: { kind: 'conflict', retryable: false, doc: 'A test conflict.' },
})

/** A wire format that shows all it was given. */
const testEnvelope: Envelope = {
  success: (requestId, nowMs) => ['{"ok":true,"data":', `,"id":"${requestId}","at":${nowMs}}`],
  failure(error, requestId) {
    const httpStatus = error.reason.kind === 'internal' ? 500 : error.reason.kind === 'rate_limited' ? 429 : 400
    return { httpStatus, body: JSON.stringify({ ok: false, message: error.message, id: requestId }) }
  },
}

export interface SeenRequest extends SignedRequest {
  readonly access: Access
}

/** Lets in whoever sends `x-test-key: yes`, and notes what it was asked to verify. */
function testScheme(seen: SeenRequest[] = []): Scheme {
  return {
    async authenticate(request, access) {
      seen.push({ ...request, access })
      if (request.headers['x-test-key'] !== 'yes') {
        throw new AppError(testReasons.test_unauthenticated, 'no', { cause: new Error('the key is missing') })
      }
      return { keyId: 'test', access: 'WRITABLE', userAddress: null }
    },
  }
}

const BAD_REQUEST = { httpStatus: 400, code: 400 }

/** What a product says of a wire format that has little to say. */
export const testReference: ProductReference = {
  title: 'Test API',
  description: 'An API under test.',
  headers: [{ name: 'x-test-key', description: 'yes' }],
  success: (data) => ({ type: 'object', required: ['data'], properties: { data } }),
  failure: () => ({ type: 'object', required: ['message'], properties: { message: { type: 'string' } } }),
  failures: {
    unauthenticated: BAD_REQUEST,
    forbidden: BAD_REQUEST,
    invalid: BAD_REQUEST,
    not_found: BAD_REQUEST,
    conflict: BAD_REQUEST,
    key_reused: BAD_REQUEST,
    upstream: BAD_REQUEST,
    rate_limited: { httpStatus: 429, code: 429 },
    unavailable: BAD_REQUEST,
    internal: { httpStatus: 500, code: 500 },
  },
  schemas: {},
  groups: [],
  reasons: Object.values(httpReasons),
  keyReasons: { READ_ONLY: [], WRITABLE: [] },
  toldWhen: [],
  messages: {},
  fields: {},
}

/** A venue whose database and chain are never asked. */
export function testVenue(over: Partial<Venue> = {}): Venue {
  return {
    sql: undefined as unknown as Sql,
    deployment: { chainId: 31337, startBlock: 0n, contracts: {} },
    clock: { nowMs: () => 1_700_000_000_000 },
    log: pino({ level: 'silent' }),
    rpc: undefined as unknown as Rpc,
    ...over,
  }
}

/** The default limits, with keys that never end. */
export const TEST_STREAMS: StreamSettings = { limits: DEFAULT_STREAM_LIMITS, isKeyLive: () => true }

/** The product under test, at its place. */
export const testMount = (routes: readonly Route[], more: Partial<Mount> = {}, seen?: SeenRequest[]): Mount => ({
  name: 'test',
  prefix: '/svc',
  owns: [{ path: '/api/v1', unknown: 'key' }],
  envelope: testEnvelope,
  scheme: testScheme(seen),
  routes,
  reference: testReference,
  ...more,
})

/** A server with one product under `/svc`, whose paths begin with `/api/v1`. */
export function testServer(routes: readonly Route[], over: Partial<ServerOptions> & { seen?: SeenRequest[] } = {}) {
  const { seen, ...options } = over
  const venue = options.venue ?? testVenue()
  return createServer({
    mounts: [testMount(routes, {}, seen)],
    venue,
    rateLimiter: memoryRateLimiter({ limit: 10_000, windowMs: 60_000 }, venue.clock),
    trustedProxies: [],
    health: { notReady: async () => [], status: async () => ({}), metrics: new Registry() },
    reasonTables: [],
    streams: TEST_STREAMS,
    ...options,
  })
}

export const WITH_KEY = { 'x-test-key': 'yes' }

/** Operations of every shape; those that echo put what reached them into `handled`. */
export function sampleRoutes(handled: RouteRequest[]): Route[] {
  const echo = async (request: RouteRequest) => {
    handled.push(request)
    const { params, query, body } = request
    return { params, query, body }
  }
  return [
    {
      method: 'GET',
      path: '/api/v1/items',
      summary: 'list',
      access: 'READ_ONLY',
      schema: {
        query: Type.Object({ page: Type.Optional(Type.Integer()), symbol: Type.Optional(Type.String()) }),
        data: Type.Any(),
      },
      handler: echo,
    },
    {
      method: 'GET',
      path: '/api/v1/items/:id',
      summary: 'one',
      access: 'READ_ONLY',
      schema: { params: Type.Object({ id: Type.String({ pattern: '^[a-z ]+$' }) }), data: Type.Any() },
      handler: echo,
    },
    {
      method: 'POST',
      path: '/api/v1/items',
      summary: 'create',
      access: 'WRITABLE',
      schema: {
        body: Type.Object({
          side: Type.Union([Type.Literal('Buy'), Type.Literal('Sell')]),
          amount: Type.Union([Type.String(), Type.Number()]),
          deadline: Type.Optional(Type.Integer({ maximum: 4_294_967_295 })),
          nested: Type.Optional(Type.Object({ x: Type.Optional(Type.Integer()) })),
        }),
        data: Type.Any(),
      },
      handler: echo,
    },
    {
      method: 'POST',
      path: '/api/v1/act',
      summary: 'no body',
      access: 'WRITABLE',
      schema: { data: Type.Any() },
      handler: echo,
    },
    {
      method: 'DELETE',
      path: '/api/v1/items/:id',
      summary: 'delete',
      access: 'WRITABLE',
      schema: { params: Type.Object({ id: Type.String() }), data: Type.Any() },
      handler: echo,
    },
    {
      method: 'GET',
      path: '/api/v1/fail/:how',
      summary: 'fails',
      access: 'READ_ONLY',
      schema: { params: Type.Object({ how: Type.String() }), data: Type.Any() },
      async handler({ params }) {
        if ((params as { how: string }).how === 'known')
          throw new AppError(testReasons.test_conflict, 'a clear sentence')
        throw new Error('password=hunter2')
      },
    },
    {
      method: 'GET',
      path: '/api/v1/exact',
      summary: 'numbers',
      access: 'READ_ONLY',
      schema: { data: Type.Object({ declared: Type.Integer() }) },
      handler: async () => ({ amount: jsonNumber(12_345_678_901_234_567_890_123n, 18), undeclared: true }),
    },
    {
      method: 'GET',
      path: '/api/v1/prepared',
      summary: 'prepared',
      access: 'READ_ONLY',
      schema: { data: Type.Any() },
      handler: async () => new PreparedJson([{ a: 1 }]),
    },
  ]
}
