import type { FastifyRequest } from 'fastify'
import { andThen } from '../lib/and-then.ts'
import { AppError } from '../lib/errors.ts'
import type { Access, Caller, RouteAccess, WalletCaller } from './caller.ts'
import type { OwnedPath, ServedProduct } from './product.ts'
import type { RateLimiter } from './rate-limit.ts'
import { httpReasons } from './reasons.ts'
import type { Scheme, SignedRequest } from './scheme.ts'
import { type NamedLimit, rateLimited, type Surroundings } from './scope.ts'
import { originForm } from './target.ts'

/** A product's place in the server. */
export type Mount = Omit<ServedProduct, 'services'>

/** A product under one of its owned paths. */
export interface Place {
  readonly mount: Mount
  readonly owned: OwnedPath
  /** Counts the requests of each API key; null when the product does not limit them. */
  readonly keyLimit: KeyLimit | null
  readonly around: Surroundings
}

export interface KeyLimit {
  readonly limiter: RateLimiter
  readonly named: NamedLimit
}

const NO_BYTES = Buffer.alloc(0)

/** The body as it arrived; asked before it is read. */
export const rawBody = (request: FastifyRequest): Buffer => (request.body instanceof Buffer ? request.body : NO_BYTES)

/**
 * Lets a request in as far as its raw bytes decide. Where an API key is asked for it is verified, noted as the request's
 * `caller` and counted; nobody else's requests count for it. A wallet's signature is part of the body and judged later
 * (`callerOf`).
 */
export function admit(
  request: FastifyRequest,
  { mount, keyLimit }: Place,
  access: RouteAccess,
  isUpgrade = false,
): SignedRequest | Promise<SignedRequest> {
  const arrived = signedRequest(request, mount.prefix)
  const signed = isUpgrade ? (mount.scheme.upgrade?.(arrived) ?? arrived) : arrived
  request.signed = signed
  const asked = keyAccess(signed, access, mount.scheme)
  if (asked === null) return withoutFragment(signed)
  const counted = andThen(mount.scheme.authenticate(signed, asked), (caller) => {
    request.caller = caller
    return andThen(keyLimit ? countKey(request, keyLimit, caller) : undefined, () =>
      mount.scheme.permit?.(caller, asked),
    )
  })
  return andThen(counted, () => withoutFragment(signed))
}

function withoutFragment(signed: SignedRequest): SignedRequest {
  if (!signed.uri.includes('#')) return signed
  throw new AppError(httpReasons.request_invalid, 'the request target must not hold a fragment')
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

function countKey(request: FastifyRequest, { limiter, named }: KeyLimit, caller: Caller): void | Promise<void> {
  return andThen(limiter.take(caller.keyId), (decision) => {
    const refusal = rateLimited(request, named, decision)
    if (refusal) throw refusal
  })
}

/** Whom a handler meets. The body has passed the operation's schema. */
export function callerOf(
  request: FastifyRequest,
  access: RouteAccess,
  { mount: { scheme }, around }: Place,
): Caller | null | Promise<WalletCaller> {
  if (access === 'PUBLIC') return null
  if (access === 'OPEN') return request.caller
  return access === 'WALLET' ? walletCaller(request, scheme, around.isHere(request.raw)) : keyCaller(request, access)
}

async function walletCaller(request: FastifyRequest, scheme: Scheme, isHere: boolean): Promise<WalletCaller> {
  if (!scheme.authenticateWallet || !request.signed) throw new Error('the scheme of this product knows no wallets')
  const { wallet } = await scheme.authenticateWallet(request.signed, request.body, isHere)
  return { wallet, clientIp: request.clientIp, isBrowser: request.raw.headers.origin !== undefined }
}

function keyCaller(request: FastifyRequest, access: Access): Caller {
  if (request.caller) return request.caller
  throw new Error(`a request for ${access} reached its handler without a caller`)
}
