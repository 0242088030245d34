import { METHODS } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { newId } from '../lib/ids.ts'
import type { Mount } from './admission.ts'
import { AnswerOnce } from './answer-once.ts'
import { type AppFiles, appFiles } from './app-files.ts'
import { clientAddress, fromThisMachine } from './client-address.ts'
import { devRpc, type JsonRpc } from './dev-rpc.ts'
import { type Health, healthRoutes } from './health.ts'
import { alarmingReasons, requestMetrics, streamMetrics } from './metrics.ts'
import { mountElsewhere, mountProduct } from './mount.ts'
import { requireOwnOrigin } from './origin.ts'
import type { Venue } from './product.ts'
import { memoryRateLimiter, type RateLimiter, type RateLimitRule } from './rate-limit.ts'
import type { ReasonTable } from './reference.ts'
import { referenceRoutes } from './reference-routes.ts'
import { RequestLog } from './request-log.ts'
import { prepareRequests, type Surroundings } from './scope.ts'
import { StreamServer, type StreamSettings, wantsWebSocket } from './stream-server.ts'
import { routableUrl } from './target.ts'
import { requireHttps } from './transport.ts'
import { unreadable } from './unreadable.ts'
import { DEFAULT_UNTAKEN_LIMIT, UntakenAnswers } from './untaken.ts'
import { ajvOptions, buildValidator, validationError } from './validation.ts'

export interface ServerOptions {
  readonly mounts: readonly Mount[]
  readonly venue: Venue
  readonly rateLimiter: RateLimiter
  /** Limiters of products' API keys; in this process unless told. */
  readonly keyLimiter?: (product: string, rule: RateLimitRule) => RateLimiter
  /** Addresses and CIDR ranges whose `x-forwarded-for` and `x-forwarded-proto` are believed. */
  readonly trustedProxies: readonly string[]
  /** Origins of pages beside the server's own that may open sessions and streams; none unless told. */
  readonly origins?: readonly string[]
  /** The app's files, and the development wallet of an embedded venue. */
  readonly app?: AppFiles & { readonly devRpc: JsonRpc | null }
  readonly health: Health
  /** Every reason there is, for the error pages. */
  readonly reasonTables: readonly ReasonTable[]
  /** PEM texts; without them the server speaks plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string }
  /** Limits of the products' WebSockets, and which keys still may hold one. */
  readonly streams: StreamSettings
  /** Largest body accepted; 64 KiB by default. */
  readonly bodyLimitBytes?: number
  /** Bytes of answers that one client may leave untaken; 96 MiB by default. */
  readonly untakenLimitBytes?: number
}

const DEFAULT_BODY_LIMIT = 64 * 1024
/** A request that has not arrived whole by then is cut off. */
const REQUEST_TIMEOUT_MS = 30_000
const KEEP_ALIVE_MS = 72_000
/** So long nothing may pass either way on a connection with a request or an answer under way; a WebSocket has its heartbeats instead. */
const CONNECTION_TIMEOUT_MS = 60_000
/** New connections that the system keeps until they are accepted; beyond that it resets them, and nobody is refused in words. */
const CONNECTIONS_BACKLOG = 4096
/** Longer than any request line that Node accepts: the schemas judge the length of a parameter, not the router. */
const MAX_PARAM_LENGTH = 32 * 1024

/**
 * Builds the HTTP server without listening, so that tests use `inject()`: health endpoints, the products under their
 * prefixes, the reference, and a plain 404 elsewhere. Every answer of a product and every 404 carries the rate-limit headers and
 * `x-request-id`.
 */
export async function createServer(options: ServerOptions): Promise<FastifyInstance> {
  const app = buildFastify(options)
  const requestLog = new RequestLog(options.venue.log)
  const streams = new StreamServer(options.venue, options.rateLimiter, options.streams)
  streamMetrics(options.health.metrics, () => streams.connectionCount)
  const isHere = fromThisMachine(options.trustedProxies)
  let draining = false
  const surroundings: Surroundings = {
    venue: options.venue,
    limiter: options.rateLimiter,
    keyLimiter: options.keyLimiter ?? ((_product, rule) => memoryRateLimiter(rule, options.venue.clock)),
    answerOnce: new AnswerOnce(options.venue),
    clientAddress: clientAddress(options.trustedProxies),
    isHere,
    requireHttps: requireHttps(options.trustedProxies),
    requireOwnOrigin: requireOwnOrigin(options.origins ?? [], options.trustedProxies),
    requestLog,
    streams,
    untaken: new UntakenAnswers(options.untakenLimitBytes ?? DEFAULT_UNTAKEN_LIMIT),
    metrics: requestMetrics(options.health.metrics, alarmingReasons(options.reasonTables)),
    draining: () => draining,
  }
  acceptEveryMethodWithBody(app)
  if (options.tls) askForHttps(app)
  prepareRequests(app)
  app.register(async (scope) => healthRoutes(scope, options.health, options.venue.log, isHere))
  if (options.app) mountApp(app, options.app, surroundings)
  for (const mount of options.mounts) mountProduct(app, mount, surroundings)
  app.register(async (scope) => {
    mountElsewhere(scope, surroundings)
    referenceRoutes(scope, options.mounts, options.reasonTables, surroundings)
  })
  app.addHook('preClose', async () => {
    draining = true
    await streams.close()
  })
  app.addHook('onClose', async () => requestLog.close())
  await app.ready()
  streams.attach(app)
  return app
}

/** For a year, of this host alone: what other names below it speak is not the venue's to say. */
const HTTPS_FROM_NOW_ON = 'max-age=31536000'

/**
 * Tells browsers not to come by plain HTTP any more, so that nobody on the way can take the place of the venue. On the raw answer, as
 * some are not written by Fastify.
 */
function askForHttps(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.raw.setHeader('strict-transport-security', HTTPS_FROM_NOW_ON)
    done()
  })
}

/** Outside of the API's rate limit, each part with what is its own. */
function mountApp(app: FastifyInstance, parts: NonNullable<ServerOptions['app']>, around: Surroundings): void {
  app.register(async (scope) => appFiles(scope, parts))
  const { devRpc: answer } = parts
  if (answer) app.register(async (scope) => devRpc(scope, answer, around.requireOwnOrigin))
}

function buildFastify(options: ServerOptions): FastifyInstance {
  const common = {
    logger: false,
    bodyLimit: options.bodyLimitBytes ?? DEFAULT_BODY_LIMIT,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    genReqId: newId,
    exposeHeadRoutes: false,
    // Requests that arrive on a kept connection during the drain are still served, and their connection then closed.
    return503OnClosing: false,
    rewriteUrl: (request: { url?: string | undefined }) => routableUrl(request.url ?? '/'),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, querystringParser: () => NO_QUERY },
    ajv: ajvOptions,
    schemaController: { compilersFactory: { buildValidator } },
    schemaErrorFormatter: validationError,
    clientErrorHandler: unreadable(options),
  }
  const upgrades = { shouldUpgradeCallback: wantsWebSocket }
  const app = options.tls
    ? Fastify({ ...common, https: { ...options.tls, ...upgrades } })
    : Fastify({ ...common, http: upgrades })
  return app as unknown as FastifyInstance
}

/** The query is read after authentication, by `parseQuery`. */
const NO_QUERY = Object.freeze({})

/**
 * Bodies stay raw bytes until the caller is known, whatever the content type says. GET is read too: a body there must
 * meet the signature check and then be refused, not pass unseen.
 */
function acceptEveryMethodWithBody(app: FastifyInstance): void {
  for (const method of METHODS) {
    if (method !== 'CONNECT') app.addHttpMethod(method, { hasBody: true, overrideExisting: true })
  }
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}

/** Addresses that stand for every address of the machine, and the one to reach the server by from the machine itself. */
const LOOPBACK: Readonly<Record<string, string>> = { '::': '[::1]', '0.0.0.0': '127.0.0.1' }

/** Opens the port and answers the base URL, which a client on this machine can use. Port 0 takes a free one. */
export async function listen(app: FastifyInstance, address: { host: string; port: number }): Promise<string> {
  const url = new URL(await app.listen({ ...address, backlog: CONNECTIONS_BACKLOG }))
  const bound = app.server.address() as AddressInfo
  const host = LOOPBACK[bound.address] ?? (bound.family === 'IPv6' ? `[${bound.address}]` : bound.address)
  return `${url.protocol}//${host}:${bound.port}`
}

/**
 * Stops accepting, lets the requests in flight finish, then resolves. Connections that are still open after `graceMs`
 * are cut.
 */
export async function drain(app: FastifyInstance, graceMs: number): Promise<void> {
  const cut = setTimeout(() => app.server.closeAllConnections(), graceMs)
  try {
    await app.close()
  } finally {
    clearTimeout(cut)
  }
}
