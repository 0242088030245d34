import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { AppError } from '../lib/errors.ts'
import { trustedProxies } from './client-address.ts'
import { isLoopback, normalizeIp } from './ip-list.ts'
import { httpReasons } from './reasons.ts'

/** Refuses a request that did not come by HTTPS; null for one that may stay. */
export type RequireHttps = (request: IncomingMessage, clientIp: string) => AppError | null

/**
 * What counts as HTTPS: this server's own TLS, or a trusted proxy that says by `x-forwarded-proto` that the client used it, on every
 * hop that it names. Plain HTTP is served on loopback alone, and not to a proxy there that nobody trusts: whom it speaks for
 * is unknown. `trusted` as in `clientAddress`.
 */
export function requireHttps(trusted: readonly string[]): RequireHttps {
  const isTrusted = trustedProxies(trusted)
  return ({ socket, headers }, clientIp) => {
    if ((socket as Partial<TLSSocket>).encrypted === true) return null
    const peer = normalizeIp(socket.remoteAddress ?? '') ?? ''
    const forwards = headers['x-forwarded-for'] !== undefined || headers['x-forwarded-proto'] !== undefined
    if (!isTrusted(peer)) return isLoopback(peer) && !forwards ? null : refusal(forwards ? UNTRUSTED : PLAIN)
    if (isHttps(headers['x-forwarded-proto'])) return null
    return isLoopback(clientIp) ? null : refusal(NOT_SAID)
  }
}

const PLAIN = 'use HTTPS: plain HTTP is served on loopback only'
const UNTRUSTED =
  'use HTTPS: this came by plain HTTP through a proxy that the venue does not trust; its operator names it in TRUSTED_PROXIES'
const NOT_SAID =
  'use HTTPS: the proxy does not say by X-Forwarded-Proto that the request came by it; plain HTTP is served on loopback only'

const refusal = (message: string): AppError => new AppError(httpReasons.https_required, message)

/** A chain of proxies may add one entry each; none of them may have been reached by plain HTTP. */
const isHttps = (proto: string | string[] | undefined): boolean =>
  proto !== undefined &&
  String(proto)
    .split(',')
    .every((entry) => entry.trim().toLowerCase() === 'https')
