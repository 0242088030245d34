import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../lib/errors.ts'
import type { ClientAddress } from './client-address.ts'
import type { Idempotency } from './idempotency.ts'
import type { ObserveAnswer } from './metrics.ts'
import type { Caller, Envelope, Venue } from './product.ts'
import type { RateDecision, RateLimiter } from './rate-limit.ts'
import { httpReasons } from './reasons.ts'
import type { RequestLog } from './request-log.ts'
import type { StreamServer } from './stream-server.ts'

/** What every scope of the server shares. */
export interface Surroundings {
  readonly venue: Venue
  readonly limiter: RateLimiter
  readonly clientAddress: ClientAddress
  readonly requestLog: RequestLog
  readonly streams: StreamServer
  readonly metrics: (product: string, method: string, route: string) => ObserveAnswer
  /** True once the server no longer accepts: every answer then ends its connection, which else stays open, idle. */
  draining(): boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    clientIp: string
    arrivedMs: number
    /** The content type as sent. The header itself is hidden from Fastify, which would judge it before authentication. */
    contentType: string | undefined
    caller: Caller | null
    idempotency: Idempotency | null
  }
  interface FastifyContextConfig extends Partial<Operation> {}
}

/** What log and metrics call a route. */
export interface Operation {
  /** Its path with `:name` parameters. */
  readonly pattern: string
  readonly observe: ObserveAnswer
}

const JSON_CONTENT = 'application/json; charset=utf-8'

/** Declares the fields above once, so that every request object has the same shape. */
export function prepareRequests(app: FastifyInstance): void {
  app.decorateRequest('clientIp', '')
  app.decorateRequest('arrivedMs', 0)
  app.decorateRequest('contentType', undefined)
  app.decorateRequest('caller', null)
  app.decorateRequest('idempotency', null)
}

/**
 * Makes a part of the server answer in one wire format: request id and rate limit before everything else (so before
 * authentication), and every failure through the envelope. Answers the function that sends a success.
 */
export function openScope(app: FastifyInstance, name: string, envelope: Envelope, around: Surroundings) {
  const observeUnknown = around.metrics(name, 'any', 'unknown')
  const { venue, limiter } = around

  app.addHook('onRequest', (request, reply, done) => {
    arrive(request, reply, around.clientAddress)
    const decision = limiter.take(request.clientIp)
    const admit = (decided: RateDecision) => done(rateLimitHeaders(reply, limiter.limit, decided))
    if (decision instanceof Promise) decision.then(admit, done)
    else admit(decision)
  })

  app.setErrorHandler((thrown, request, reply) => {
    const error = toAppError(thrown, request)
    logCause(venue.log, error, request)
    const { httpStatus, body } = envelope.failure(error, request.id, venue.clock.nowMs())
    // An authentication failure says nothing beyond itself (seed 7A).
    if (error.reason.kind !== 'unauthenticated') reply.header('x-error-reason', error.reason.name)
    const { pattern = 'unknown', observe = observeUnknown } = request.routeOptions.config
    noteAnswer(request, { pattern, observe }, httpStatus, error)
    if (around.draining()) reply.header('connection', 'close')
    return reply.code(httpStatus).header('content-type', JSON_CONTENT).send(body)
  })

  function noteAnswer(request: FastifyRequest, operation: Operation, status: number, error?: AppError): void {
    const durationMs = performance.now() - request.arrivedMs
    operation.observe(status, durationMs / 1000)
    around.requestLog.record(error !== undefined, () => ({
      requestId: request.id,
      method: request.method,
      route: operation.pattern,
      status,
      durationMs: Math.round(durationMs * 1000) / 1000,
      clientIp: request.clientIp,
      ...(request.caller ? { keyId: request.caller.keyId } : {}),
      ...(error ? { reason: error.reason.name } : {}),
      ...(error?.reason.kind === 'unauthenticated' && error.cause instanceof Error ? { why: error.cause.message } : {}),
    }))
  }

  return (request: FastifyRequest, reply: FastifyReply, operation: Operation, dataJson: string): FastifyReply => {
    noteAnswer(request, operation, 200)
    if (around.draining()) reply.header('connection', 'close')
    const body = envelope.success(dataJson, request.id, venue.clock.nowMs())
    return reply.header('content-type', JSON_CONTENT).send(body)
  }
}

function arrive(request: FastifyRequest, reply: FastifyReply, addressOf: ClientAddress): void {
  const { headers, socket } = request.raw
  request.arrivedMs = performance.now()
  request.clientIp = addressOf(socket.remoteAddress, headers['x-forwarded-for'])
  request.contentType = headers['content-type']
  if (request.contentType !== undefined) headers['content-type'] = undefined
  reply.header('x-request-id', request.id)
}

/** Sets the headers, seconds all (models 2, row 9); the error to end the request with when the limit is reached. */
function rateLimitHeaders(reply: FastifyReply, limit: number, decision: RateDecision): AppError | undefined {
  reply.header('ratelimit-limit', limit)
  reply.header('ratelimit-remaining', decision.remaining)
  reply.header('ratelimit-reset', decision.resetSec)
  if (decision.allowed) return undefined
  reply.header('retry-after', decision.resetSec)
  const message = `too many requests: this address may send ${limit} in a window; try again in ${decision.resetSec} s`
  return new AppError(httpReasons.rate_limited, message)
}

function toAppError(thrown: unknown, request: FastifyRequest): AppError {
  if (thrown instanceof AppError) return thrown
  const { code, statusCode, message } = thrown as { code?: string; statusCode?: number; message?: string }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const message = `the body must be at most ${request.routeOptions.bodyLimit} bytes long`
    return new AppError(httpReasons.body_too_large, message)
  }
  if (code?.startsWith('FST_ERR_') && statusCode !== undefined && statusCode < 500) {
    return new AppError(httpReasons.request_invalid, message ?? 'the request cannot be read')
  }
  return new AppError(httpReasons.internal_error, 'internal error', { cause: thrown })
}

/** What the caller is not told goes to the log, under the request id. */
function logCause(log: Surroundings['venue']['log'], error: AppError, request: FastifyRequest): void {
  const { kind, name } = error.reason
  if (error.cause === undefined || kind === 'unauthenticated') return
  const fields = { requestId: request.id, reason: name, err: error.cause }
  if (kind === 'internal') log.error(fields, 'request failed unexpectedly')
  else log.warn(fields, error.message)
}
