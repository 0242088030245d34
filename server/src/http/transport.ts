import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { AppError } from '../lib/errors.ts'
import { fromThisMachine, isForwarded, trustedProxies } from './client-address.ts'
import { normalizeIp } from './ip-list.ts'
import { httpReasons } from './reasons.ts'

/** Refuses a request that did not come by HTTPS; null for one that may stay. */
export type RequireHttps = (request: IncomingMessage) => AppError | null

/**
 * What counts as HTTPS: this server's own TLS, or a trusted proxy that says by `x-forwarded-proto` that the client used it, on every
 * hop that it names. Plain HTTP is served to this machine alone (`fromThisMachine`). `trusted` as in `clientAddress`.
 */
export function requireHttps(trusted: readonly string[]): RequireHttps {
  const isTrusted = trustedProxies(trusted)
  const isHere = fromThisMachine(trusted)
  return (request) => {
    const { socket, headers } = request
    if ((socket as Partial<TLSSocket>).encrypted === true) return null
    const byTrusted = isTrusted(normalizeIp(socket.remoteAddress ?? '') ?? '')
    if (byTrusted && isHttps(headers['x-forwarded-proto'])) return null
    if (isHere(request)) return null
    if (byTrusted) return refusal(NOT_SAID)
    return refusal(isForwarded(request) ? UNTRUSTED : PLAIN)
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
