import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../lib/errors.ts'
import type { Access, Caller, RouteAccess, WalletCaller } from './caller.ts'
import type { OwnedPath, ServedProduct } from './product.ts'
import type { RateLimiter } from './rate-limit.ts'
import { httpReasons } from './reasons.ts'
import type { Scheme, SignedRequest } from './scheme.ts'
import { rateLimited, type Surroundings } from './scope.ts'
import { originForm } from './target.ts'

/** A product's place in the server. */
export type Mount = Omit<ServedProduct, 'services'>

/** A product under one of its owned paths. */
export interface Place {
  readonly mount: Mount
  readonly owned: OwnedPath
  /** Counts the requests of each API key; null when the product does not limit them. */
  readonly keyLimiter: RateLimiter | null
  readonly around: Surroundings
}

const NO_BYTES = Buffer.alloc(0)

/** The body as it arrived; asked before it is read. */
export const rawBody = (request: FastifyRequest): Buffer => (request.body instanceof Buffer ? request.body : NO_BYTES)

/**
 * Lets a request in as far as its raw bytes decide. Where an API key is asked for it is verified, noted as the request's
 * `caller` and counted; nobody else's requests count for it. A wallet's signature is part of the body and judged later
 * (`callerOf`).
 */
export async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  { mount, keyLimiter }: Place,
  access: RouteAccess,
  isUpgrade = false,
): Promise<SignedRequest> {
  const arrived = signedRequest(request, mount.prefix)
  const signed = isUpgrade ? (mount.scheme.upgrade?.(arrived) ?? arrived) : arrived
  request.signed = signed
  const asked = keyAccess(signed, access, mount.scheme)
  if (asked !== null) {
    const caller = await mount.scheme.authenticate(signed, asked)
    request.caller = caller
    if (keyLimiter) await countKey(reply, mount, keyLimiter, caller)
  }
  if (signed.uri.includes('#')) {
    throw new AppError(httpReasons.request_invalid, 'the request target must not hold a fragment')
  }
  return signed
}

/** What is asked of an API key; null where none is asked for. A scheme that cannot tell asks everybody. */
function keyAccess(request: SignedRequest, access: RouteAccess, { isSigned }: Scheme): Access | null {
  if (access !== 'OPEN') return access === 'READ_ONLY' || access === 'WRITABLE' ? access : null
  return !isSigned || isSigned(request) ? 'READ_ONLY' : null
}

function signedRequest(request: FastifyRequest, prefix: string): SignedRequest {
  const { raw, method, clientIp } = request
  const target = originForm((raw as { originalUrl?: string }).originalUrl ?? raw.url ?? '/')
  const uri = target.startsWith(`${prefix}/`) ? target.slice(prefix.length) : target
  return { method, uri, headers: raw.headers, rawBody: rawBody(request), clientIp }
}

async function countKey(reply: FastifyReply, mount: Mount, limiter: RateLimiter, caller: Caller): Promise<void> {
  const headers = mount.keyRateLimit?.headers ?? 'ratelimit-key'
  const limit = { limit: limiter.limit, headers, whom: 'this API key' }
  const refusal = rateLimited(reply, limit, await limiter.take(caller.keyId))
  if (refusal) throw refusal
}

/** Whom a handler meets. The body has passed the operation's schema. */
export async function callerOf(
  request: FastifyRequest,
  access: RouteAccess,
  scheme: Scheme,
): Promise<Caller | WalletCaller | null> {
  if (access === 'PUBLIC') return null
  if (access === 'OPEN') return request.caller
  if (access === 'WALLET') {
    if (!scheme.authenticateWallet || !request.signed) throw new Error('the scheme of this product knows no wallets')
    const { wallet } = await scheme.authenticateWallet(request.signed, request.body)
    return { wallet, clientIp: request.clientIp, isBrowser: request.raw.headers.origin !== undefined }
  }
  return keyCaller(request, access)
}

function keyCaller(request: FastifyRequest, access: Access): Caller {
  if (request.caller) return request.caller
  throw new Error(`a request for ${access} reached its handler without a caller`)
}
