import { STATUS_CODES } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { AppError, type ErrorKind } from '../lib/errors.ts'
import { readBody } from './body.ts'
import { type Idempotency, readIdempotency } from './idempotency.ts'
import type { DocumentedProduct } from './openapi.ts'
import {
  type Access,
  type Envelope,
  PreparedJson,
  type Product,
  type Route,
  type Scheme,
  type Venue,
} from './product.ts'
import { parseQuery } from './query.ts'
import { httpReasons } from './reasons.ts'
import { openScope, type Surroundings } from './scope.ts'
import { originForm, rawQueryOf } from './target.ts'
import { closed } from './validation.ts'

/** Where a product stands in the server, and how its callers are known. */
export interface Mount {
  readonly product: Pick<Product, 'name' | 'envelope' | 'routes' | 'reference' | 'stream'>
  /** Service prefix of the product's base URL; it is not part of the signed URI. May be empty. */
  readonly prefix: string
  /** The path below the prefix under which everything is the product's, unknown paths too: `/api/v1`. */
  readonly owns: string
  readonly scheme: Scheme
}

const NO_BYTES = Buffer.alloc(0)
/** Stands for the schema of a part that an operation does not have: any field in it is unknown. */
const NOTHING = { type: 'object', properties: {}, additionalProperties: false }

/**
 * Registers a product's operations in the scope of `prefix + owns`. Each request is counted, then authenticated over its
 * raw bytes, and only then read and validated. An unknown path or method below it is authenticated too, so that the
 * answer tells a stranger nothing.
 */
export function mountProduct(app: FastifyInstance, mount: Mount, around: Surroundings): void {
  const { product } = mount
  const succeed = openScope(app, product.name, product.envelope, around)
  for (const route of product.routes(around.venue)) {
    const takesBody = route.schema.body !== undefined
    const querySchema = route.schema.query
    const operation = { pattern: route.path, observe: around.metrics(product.name, route.method, route.path) }
    app.route({
      method: route.method,
      url: pathInScope(route, mount),
      schema: requestSchemas(route),
      config: operation,
      preValidation: async (request) => {
        const uri = await authenticate(request, mount, route.access)
        request.idempotency = idempotencyOf(request, uri)
        const body = readBody(request.method, takesBody, request.raw.headers, request.contentType, rawBody(request))
        request.body = body
        request.query = parseQuery(rawQueryOf(uri), querySchema)
      },
      handler: async (request, reply) => {
        const { params, query, body, caller, idempotency } = request
        if (!caller) throw new Error('a request reached its handler without a caller')
        const data = await route.handler({
          params: params as never,
          query: query as never,
          body: body as never,
          caller,
          ...(idempotency ? { idempotency } : {}),
        })
        if (idempotency?.replayed) reply.header('idempotent-replayed', 'true')
        const dataJson = data instanceof PreparedJson ? data.text : (JSON.stringify(data) ?? 'null')
        return succeed(request, reply, operation, dataJson)
      },
    })
  }
  mountStream(app, mount, around)
  const preValidation = async (request: FastifyRequest) => {
    await authenticate(request, mount, request.method === 'GET' ? 'READ_ONLY' : 'WRITABLE')
  }
  app.setNotFoundHandler({ preValidation }, unknownPath)
}

/** Registers a product's WebSocket: authenticated and counted like any GET, then taken out of HTTP. */
function mountStream(app: FastifyInstance, mount: Mount, { streams, venue, metrics }: Surroundings): void {
  const { stream, name } = mount.product
  if (!stream) return
  const open = streams.open(stream)
  app.route({
    method: 'GET',
    url: pathInScope({ method: 'GET', path: stream.path, schema: {} }, mount),
    schema: { querystring: NOTHING },
    config: { pattern: stream.path, observe: metrics(name, 'GET', stream.path) },
    preValidation: async (request) => {
      const uri = await authenticate(request, mount, 'READ_ONLY')
      readBody(request.method, false, request.raw.headers, request.contentType, rawBody(request))
      request.query = parseQuery(rawQueryOf(uri), undefined)
    },
    handler: (request, reply) => {
      const { caller, raw } = request
      if (!caller) throw new Error('a request reached its handler without a caller')
      streams.admit(raw, caller)
      reply.hijack()
      streams.accept(raw, reply.raw, caller, open)
      venue.log.debug({ requestId: request.id, keyId: caller.keyId, clientIp: request.clientIp }, 'stream opened')
    },
  })
}

/** The product as the reference shows it. */
export function documentedProduct({ product, prefix }: Mount, venue: Venue): DocumentedProduct {
  return { prefix, routes: product.routes(venue), reference: product.reference(venue) }
}

/** Everything outside the products: counted, and answered by a plain 404. */
export function mountElsewhere(app: FastifyInstance, around: Surroundings): void {
  openScope(app, 'none', plainEnvelope, around)
  app.setNotFoundHandler(unknownPath)
}

async function unknownPath(): Promise<never> {
  throw new AppError(httpReasons.path_unknown, 'no operation has this method and path')
}

/** Verifies the request and notes its caller; answers the URI as it was signed. */
async function authenticate(request: FastifyRequest, mount: Mount, access: Access): Promise<string> {
  const { raw } = request
  const target = originForm((raw as { originalUrl?: string }).originalUrl ?? raw.url ?? '/')
  const uri = target.startsWith(`${mount.prefix}/`) ? target.slice(mount.prefix.length) : target
  request.caller = await mount.scheme.authenticate(
    { method: request.method, uri, headers: raw.headers, rawBody: rawBody(request), clientIp: request.clientIp },
    access,
  )
  if (uri.includes('#')) throw new AppError(httpReasons.request_invalid, 'the request target must not hold a fragment')
  return uri
}

function idempotencyOf(request: FastifyRequest, uri: string): Idempotency | null {
  const { method, raw } = request
  if (method === 'GET') return null
  return readIdempotency(raw.headers['idempotency-key'], { method, uri, rawBody: rawBody(request) })
}

const rawBody = (request: FastifyRequest): Buffer => (request.body instanceof Buffer ? request.body : NO_BYTES)

function pathInScope(
  route: Pick<Route, 'method' | 'path'> & { schema: Partial<Route['schema']> },
  mount: Mount,
): string {
  const inside = route.path.startsWith(`${mount.owns}/`) && route.path.length > mount.owns.length + 1
  if (!inside) throw new Error(`${route.method} ${route.path} lies outside of ${mount.owns}`)
  if (route.path.includes(':') && !route.schema.params) {
    throw new Error(`${route.method} ${route.path} has parameters but no schema for them`)
  }
  return route.path.slice(mount.owns.length)
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
const plainEnvelope: Envelope = {
  success: (dataJson) => dataJson,
  failure(error) {
    const httpStatus = HTTP_STATUS[error.reason.kind]
    const body = { statusCode: httpStatus, error: STATUS_CODES[httpStatus], message: error.message }
    return { httpStatus, body: JSON.stringify(body) }
  },
}
