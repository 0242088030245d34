import { STATUS_CODES } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import type { TSchema } from 'typebox'
import { andThen } from '../lib/and-then.ts'
import { AppError, type ErrorKind } from '../lib/errors.ts'
import { once } from '../lib/once.ts'
import { admit, callerOf, type KeyLimit, type Mount, type Place, rawBody } from './admission.ts'
import { repetitionOf } from './answer-once.ts'
import { readBody } from './body.ts'
import type { Caller, WalletCaller } from './caller.ts'
import { type Idempotency, readIdempotency } from './idempotency.ts'
import type { Envelope, KeyRateLimit, OwnedPath, ProductStream, Route } from './product.ts'
import { parseQuery, queryReader } from './query.ts'
import type { RateLimiter } from './rate-limit.ts'
import { httpReasons } from './reasons.ts'
import type { SignedRequest } from './scheme.ts'
import { type Answer, namedLimit, openScope, type Scope, type Surroundings } from './scope.ts'
import { rawQueryOf } from './target.ts'
import { closed } from './validation.ts'
import type { Body } from './write-answer.ts'

/** Stands for the schema of a part that an operation does not have: any field in it is unknown. */
const NOTHING = { type: 'object', properties: {}, additionalProperties: false }

/**
 * Registers a product's operations, each in the scope of the owned path that it lies under. Each request is counted, then
 * authenticated over its raw bytes as its access says, counted for its API key, and only then read and validated.
 */
export function mountProduct(app: FastifyInstance, mount: Mount, around: Surroundings): void {
  const { prefix, owns, keyRateLimit, name } = mount
  const keyLimit = keyRateLimit ? keyLimitOf(keyRateLimit, around.keyLimiter(name, keyRateLimit)) : null
  const stray = [...mount.routes, ...(mount.stream ? [mount.stream] : [])].find(({ path }) => !ownerOf(path, owns))
  if (stray) throw new Error(`${stray.path} lies outside of ${owns.map(({ path }) => path).join(', ')}`)
  for (const owned of owns) {
    const place = { mount, owned, keyLimit, around }
    app.register(async (scope) => mountPath(scope, place), { prefix: prefix + owned.path })
  }
  if (prefix !== '') app.register(async (scope) => mountUnknown(scope, mount, around), { prefix })
}

const keyLimitOf = ({ headers }: KeyRateLimit, limiter: RateLimiter): KeyLimit => ({
  limiter,
  named: namedLimit(limiter, headers, 'this API key'),
})

/** What lies below the product's prefix and is no path of its own is answered in its format too, whoever asks. */
function mountUnknown(app: FastifyInstance, mount: Mount, around: Surroundings): void {
  openScope(app, mount.name, mount.envelope, around)
  app.setNotFoundHandler(unknownPath)
}

const ownerOf = (path: string, owns: readonly OwnedPath[]): OwnedPath | undefined =>
  owns.find((owned) => path === owned.path || path.startsWith(`${owned.path}/`))

function mountPath(app: FastifyInstance, place: Place): void {
  const { mount, owned, around } = place
  const plain = (request: FastifyRequest) => around.requireHttps(request.raw)
  const scope = openScope(app, mount.name, mount.envelope, around, mount.httpsOnly ? plain : undefined)
  const isHere = ({ path }: { readonly path: string }) => ownerOf(path, mount.owns) === owned
  for (const route of mount.routes.filter(isHere)) mountRoute(app, route, place, scope)
  if (mount.stream && isHere(mount.stream)) mountStream(app, mount.stream, place)
  const preValidation = async (request: FastifyRequest) => {
    const access = request.method === 'GET' ? 'READ_ONLY' : 'WRITABLE'
    await admit(request, place, owned.unknown === 'key' ? access : 'PUBLIC')
  }
  app.setNotFoundHandler({ preValidation }, unknownPath)
}

function mountRoute(app: FastifyInstance, route: Route, place: Place, scope: Scope): void {
  const { mount, around } = place
  const takesBody = route.schema.body !== undefined
  const operation = { pattern: route.path, observe: around.metrics(mount.name, route.method, route.path) }
  const readQuery = queryReader(route.schema.query)
  const read = (request: FastifyRequest, { uri }: SignedRequest) => {
    request.idempotency = idempotencyOf(request, uri)
    request.body = readBody(request.method, takesBody, request.raw.headers, request.contentType, rawBody(request))
    request.query = readQuery(rawQueryOf(uri))
  }
  app.route({
    method: route.method,
    url: pathInScope(route, place.owned),
    schema: requestSchemas(route),
    config: operation,
    ...refuseWhileBusy(route),
    preValidation: hookOf((request) => {
      if (route.ownOrigin) checkOrigin(request, around)
      return andThen(admit(request, place, route.access), (signed) => read(request, signed))
    }),
    handler(request, reply) {
      const send = (answer: Answer) => scope.send(request, reply, operation, answer)
      const repeated = repetitionOf(request, mount)
      if (!repeated) {
        return andThen(handle(route, request, reply, place), (data) => {
          send(successful(scope.success(request, data)))
        })
      }
      const work = {
        carryOut: async () => successful(scope.success(request, await handle(route, request, reply, place))),
        failure: (thrown: unknown) => scope.failure(request, thrown),
        // The first answer under an Idempotency-Key is kept with that key, and says each time that it is a repeat.
        isFirst: () => request.idempotency?.replayed !== true,
      }
      return around.answerOnce.answer(repeated, work).then(({ answer, replayed }) => {
        // Of a refusal the header would say that it is final, and nothing may have been stored under the key.
        if (replayed && answer.httpStatus === 200) request.answerHeaders['idempotent-replayed'] = 'true'
        send(answer)
      })
    },
  })
}

const successful = (body: Body): Answer => ({ httpStatus: 200, body, reason: null, retryAfterSec: null })

const refuseWhileBusy = ({ busy }: Route): Partial<RouteShorthandOptions> =>
  busy ? { onRequest: (_request, _reply, done) => done(busy() ?? undefined) } : {}

/** A hook whose work is done at once where nothing need be waited for. */
const hookOf =
  (work: (request: FastifyRequest) => void | Promise<void>) =>
  (request: FastifyRequest, _reply: FastifyReply, done: (error?: Error) => void): void => {
    let working: void | Promise<void>
    try {
      working = work(request)
    } catch (error) {
      done(error as Error)
      return
    }
    if (working instanceof Promise) working.then(() => done(), done)
    else done()
  }

function checkOrigin(request: FastifyRequest, { requireOwnOrigin }: Surroundings): void {
  const refusal = requireOwnOrigin(request.raw)
  if (refusal) throw refusal
}

/** What the operation's handler answers: data, or a promise of them. */
function handle(route: Route, request: FastifyRequest, reply: FastifyReply, place: Place): unknown {
  const { params, query, body, idempotency } = request
  return andThen<Caller | WalletCaller | null, unknown>(callerOf(request, route.access, place), (caller) =>
    route.handler({
      params: params as never,
      query: query as never,
      body: body as never,
      caller: caller as never,
      idempotency: idempotency ?? undefined,
      disconnected: once(() => disconnected(reply)),
    }),
  )
}

function disconnected({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  const look = () => {
    if (!raw.writableFinished) gone.abort()
  }
  if (raw.destroyed) look()
  else raw.once('close', look)
  return gone.signal
}

/** Registers a product's WebSocket: its origin checked, authenticated and counted like any GET, then taken out of HTTP. */
function mountStream(app: FastifyInstance, stream: ProductStream, place: Place): void {
  const { mount, around } = place
  const { streams, venue, metrics } = around
  const open = streams.open(stream)
  app.route({
    method: 'GET',
    url: pathInScope({ method: 'GET', path: stream.path, schema: {} }, place.owned),
    schema: { querystring: NOTHING },
    config: { pattern: stream.path, observe: metrics(mount.name, 'GET', stream.path) },
    preValidation: async (request) => {
      checkOrigin(request, around)
      const { uri } = await admit(request, place, stream.access, true)
      readBody(request.method, false, request.raw.headers, request.contentType, rawBody(request))
      request.query = parseQuery(rawQueryOf(uri), undefined)
    },
    handler: (request, reply) => {
      const { caller, clientIp, raw } = request
      const client = { caller, clientIp }
      streams.admit(raw, client)
      reply.hijack()
      streams.accept(raw, reply.raw, client, open)
      venue.log.debug({ requestId: request.id, keyId: caller?.keyId, clientIp }, 'stream opened')
    },
  })
}

/** Everything outside the products: counted, and answered by a plain 404. */
export function mountElsewhere(app: FastifyInstance, around: Surroundings): void {
  openScope(app, 'none', plainEnvelope, around)
  app.setNotFoundHandler(unknownPath)
}

async function unknownPath(): Promise<never> {
  throw new AppError(httpReasons.path_unknown, 'no operation has this method and path')
}

function idempotencyOf(request: FastifyRequest, uri: string): Idempotency | null {
  const { method, raw } = request
  if (method === 'GET') return null
  return readIdempotency(raw.headers['idempotency-key'], { method, uri, rawBody: rawBody(request) })
}

function pathInScope(
  route: Pick<Route, 'method' | 'path'> & { schema: Partial<Route['schema']> },
  owned: OwnedPath,
): string {
  if (route.path.includes(':') && !route.schema.params) {
    throw new Error(`${route.method} ${route.path} has parameters but no schema for them`)
  }
  return route.path.slice(owned.path.length)
}

function requestSchemas(route: Route): Record<string, TSchema> {
  const { params, query, body } = route.schema
  const schemas: Record<string, TSchema> = { querystring: query ? closed(query) : NOTHING }
  if (params) schemas.params = closed(params)
  if (body) schemas.body = closed(body)
  return schemas
}

const HTTP_STATUS: Readonly<Record<ErrorKind, number>> = {
  unauthenticated: 401,
  forbidden: 403,
  invalid: 400,
  not_found: 404,
  conflict: 409,
  key_reused: 422,
  rate_limited: 429,
  upstream: 502,
  unavailable: 503,
  internal: 500,
}

/** The format outside the products. */
export const plainEnvelope: Envelope = {
  success: () => ['', ''],
  failure(error) {
    const httpStatus = HTTP_STATUS[error.reason.kind]
    const body = { statusCode: httpStatus, error: STATUS_CODES[httpStatus], message: error.message }
    return { httpStatus, body: JSON.stringify(body) }
  },
}
