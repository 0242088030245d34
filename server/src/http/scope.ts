import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../lib/errors.ts'
import { remembered } from '../lib/remembered.ts'
import type { AnswerOnce } from './answer-once.ts'
import type { Caller } from './caller.ts'
import type { ClientAddress } from './client-address.ts'
import type { Idempotency } from './idempotency.ts'
import { networkOf } from './ip-list.ts'
import type { ObserveAnswer } from './metrics.ts'
import type { RequireOwnOrigin } from './origin.ts'
import { PreparedJson } from './prepared-json.ts'
import { AtBlock, type Envelope, type Venue } from './product.ts'
import { type RateDecision, type RateLimiter, type RateLimitRule, tooManyRequests } from './rate-limit.ts'
import { httpReasons } from './reasons.ts'
import type { RequestLog } from './request-log.ts'
import type { SignedRequest } from './scheme.ts'
import type { StreamServer } from './stream-server.ts'
import type { RequireHttps } from './transport.ts'
import type { UntakenAnswers } from './untaken.ts'
import { type Body, writeAnswer } from './write-answer.ts'

/** What every scope of the server shares. */
export interface Surroundings {
  readonly venue: Venue
  /** Counts every request by its address, of IPv6 by the network of 64 bits. */
  readonly limiter: RateLimiter
  /** A limiter of a product's API keys. */
  readonly keyLimiter: (product: string, rule: RateLimitRule) => RateLimiter
  readonly clientAddress: ClientAddress
  /** Whether a request comes from this machine. */
  readonly isHere: (request: IncomingMessage) => boolean
  readonly requireHttps: RequireHttps
  readonly requireOwnOrigin: RequireOwnOrigin
  readonly requestLog: RequestLog
  readonly answerOnce: AnswerOnce
  readonly streams: StreamServer
  readonly untaken: UntakenAnswers
  readonly metrics: (product: string, method: string, route: string) => ObserveAnswer
  /** True once the server no longer accepts: every answer then ends its connection, which else stays open, idle. */
  draining(): boolean
}

declare module 'fastify' {
  interface FastifyRequest {
    clientIp: string
    arrivedMs: number
    /** Headers of the answer, whatever it will be. */
    answerHeaders: OutgoingHttpHeaders
    /** The content type as sent. The header itself is hidden from Fastify, which would judge it before authentication. */
    contentType: string | undefined
    /** As the scheme was shown it. */
    signed: SignedRequest | null
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

/** Declares the fields above once, so that every request object has the same shape. */
export function prepareRequests(app: FastifyInstance): void {
  app.decorateRequest('clientIp', '')
  app.decorateRequest('arrivedMs', 0)
  app.decorateRequest('answerHeaders')
  app.decorateRequest('contentType', undefined)
  app.decorateRequest('signed', null)
  app.decorateRequest('caller', null)
  app.decorateRequest('idempotency', null)
}

/** What goes back to the client. */
export interface Answer {
  readonly httpStatus: number
  readonly body: Body
  /** For the header `x-error-reason`; null for a success, and for a failed authentication, which says nothing beyond itself. */
  readonly reason: string | null
  /** For the header `retry-after`; null where nothing is known of it. */
  readonly retryAfterSec: number | null
}

/** How a part of the server answers. */
export interface Scope {
  /** A success with what a handler answered. */
  success(request: FastifyRequest, data: unknown): Body
  /** The answer to what a handler threw. */
  failure(request: FastifyRequest, thrown: unknown): Answer
  send(request: FastifyRequest, reply: FastifyReply, operation: Operation, answer: Answer): void
}

/**
 * Makes a part of the server answer in one wire format: request id and rate limit before everything else (so before
 * authentication), and every failure through the envelope.
 *
 * @param refusal why a request that was counted is not let in, whoever sends it; null for no reason
 */
export function openScope(
  app: FastifyInstance,
  name: string,
  envelope: Envelope,
  around: Surroundings,
  refusal: (request: FastifyRequest) => AppError | null = () => null,
): Scope {
  const observeUnknown = around.metrics(name, 'any', 'unknown')
  const { venue, limiter } = around

  const ofAddress = namedLimit(limiter, 'ratelimit', 'this address')
  app.addHook('onRequest', (request, _reply, done) => {
    arrive(request, around.clientAddress)
    const decision = limiter.take(countedUnder(request.clientIp))
    const admit = (decided: RateDecision) => {
      done(rateLimited(request, ofAddress, decided) ?? refusal(request) ?? undefined)
    }
    if (decision instanceof Promise) decision.then(admit, done)
    else admit(decision)
  })

  app.setErrorHandler((thrown, request, reply) => {
    const error = toAppError(thrown, request)
    const { pattern = 'unknown', observe = observeUnknown } = request.routeOptions.config
    finish(request, reply, { pattern, observe }, failed(request, error), error)
  })

  function failed(request: FastifyRequest, error: AppError): Answer {
    logCause(venue.log, error, request)
    const { httpStatus, body } = envelope.failure(error, request.id, venue.clock.nowMs())
    // An authentication failure says nothing beyond itself (seed 7A).
    const reason = error.reason.kind === 'unauthenticated' ? null : error.reason.name
    return { httpStatus, body, reason, retryAfterSec: error.retryAfterSec }
  }

  function finish(
    request: FastifyRequest,
    reply: FastifyReply,
    { observe, pattern }: Operation,
    { httpStatus, body, reason, retryAfterSec }: Answer,
    error?: AppError,
  ): void {
    const durationMs = performance.now() - request.arrivedMs
    const loggedReason = error?.reason.name ?? reason
    observe(httpStatus, durationMs / 1000, loggedReason)
    const why = error?.reason.kind === 'unauthenticated' && error.cause instanceof Error ? error.cause.message : null
    around.requestLog.record(loggedReason !== null, () => ({
      requestId: request.id,
      method: request.method,
      route: pattern,
      status: httpStatus,
      durationMs: Math.round(durationMs * 1000) / 1000,
      clientIp: request.clientIp,
      ...(request.caller ? { keyId: request.caller.sessionKey ?? request.caller.keyId } : {}),
      ...(loggedReason === null ? {} : { reason: loggedReason }),
      ...(why === null ? {} : { why }),
    }))
    const { answerHeaders } = request
    if (reason !== null) answerHeaders['x-error-reason'] = reason
    // On a refusal, too: what was stored under the key has ended so, and no repeat will change it.
    if (request.idempotency?.replayed) answerHeaders['idempotent-replayed'] = 'true'
    if (retryAfterSec !== null) answerHeaders['retry-after'] = String(retryAfterSec)
    if (around.draining()) answerHeaders.connection = 'close'
    const bytes = writeAnswer(reply, httpStatus, answerHeaders, body)
    around.untaken.note(countedUnder(request.clientIp), reply.raw, bytes)
  }

  return {
    success(request, answered) {
      const [data, block] = answered instanceof AtBlock ? [answered.data, answered.block] : [answered, undefined]
      const [before, after] = envelope.success(request.id, venue.clock.nowMs(), block)
      if (data instanceof PreparedJson) return [before, data, after]
      return `${before}${JSON.stringify(data) ?? 'null'}${after}`
    },
    failure: (request, thrown) => failed(request, toAppError(thrown, request)),
    send: (request, reply, operation, answer) => finish(request, reply, operation, answer),
  }
}

/** Clients whose network is remembered: each sends many requests. */
const CLIENTS = 1000
const countedUnder = remembered(networkOf, CLIENTS)

function arrive(request: FastifyRequest, addressOf: ClientAddress): void {
  const { headers, socket } = request.raw
  request.arrivedMs = performance.now()
  request.clientIp = addressOf(socket.remoteAddress, headers['x-forwarded-for'])
  request.contentType = headers['content-type']
  if (request.contentType !== undefined) headers['content-type'] = undefined
  request.answerHeaders = { 'x-request-id': request.id }
}

/** A limit as its headers and its refusal name it. */
export interface NamedLimit {
  readonly limit: number
  readonly headers: { readonly limit: string; readonly remaining: string; readonly reset: string }
  /** Whom it limits: `this address`. */
  readonly whom: string
}

/** @param headers what its headers begin with */
export const namedLimit = ({ limit }: RateLimiter, headers: string, whom: string): NamedLimit => ({
  limit,
  headers: { limit: `${headers}-limit`, remaining: `${headers}-remaining`, reset: `${headers}-reset` },
  whom,
})

/** Sets the headers, all in seconds; the error to end the request with when the limit is reached. */
export function rateLimited(
  { answerHeaders }: FastifyRequest,
  { limit, headers, whom }: NamedLimit,
  decision: RateDecision,
): AppError | undefined {
  const { allowed, remaining, resetSec } = decision
  answerHeaders[headers.limit] = limit
  answerHeaders[headers.remaining] = remaining
  answerHeaders[headers.reset] = resetSec
  if (allowed) return undefined
  answerHeaders['retry-after'] = String(resetSec)
  return tooManyRequests(`${whom} may send ${limit}`, decision)
}

function toAppError(thrown: unknown, request: FastifyRequest): AppError {
  if (thrown instanceof AppError) return thrown
  const { code, statusCode, message } = thrown as { code?: unknown; statusCode?: number; message?: string }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const message = `the body must be at most ${request.routeOptions.bodyLimit} bytes long`
    return new AppError(httpReasons.body_too_large, message)
  }
  // Not by its code: a connection to the database can be reset too, and then what was to be done may have been.
  if (thrown === request.raw.errored) {
    return new AppError(httpReasons.request_aborted, 'the request did not arrive whole')
  }
  // Other programs' codes may be numbers.
  if (typeof code === 'string' && code.startsWith('FST_ERR_') && statusCode !== undefined && statusCode < 500) {
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
