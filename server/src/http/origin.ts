import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { AppError } from '../lib/errors.ts'
import { trustedProxies } from './client-address.ts'
import { normalizeIp } from './ip-list.ts'
import { httpReasons } from './reasons.ts'

/** Refuses a request that another site's page sent; null for one that may stay. */
export type RequireOwnOrigin = (request: IncomingMessage) => AppError | null

/**
 * A browser names the page that sends a request in `Origin`, and a page cannot change that. Only the venue's own pages may open
 * sessions and streams: those of the host that the request names, and of the origins that an operator lists. Whoever sends no
 * `Origin` is no browser. `trusted` as in `clientAddress`.
 */
export function requireOwnOrigin(listed: readonly string[], trusted: readonly string[]): RequireOwnOrigin {
  const isTrusted = trustedProxies(trusted)
  const own = new Set(listed)
  return (request) => {
    const { origin, host } = request.headers
    if (origin === undefined || own.has(origin)) return null
    return host !== undefined && isOf(origin, host, cameByTls(request, isTrusted)) ? null : refusal(origin)
  }
}

/** Plain HTTP may have been HTTPS in front of a proxy; what came by TLS belongs to a page that did, too. */
function isOf(origin: string, host: string, byTls: boolean): boolean {
  const schemes = byTls ? ['https'] : ['http', 'https']
  return schemes.some((scheme) => origin === originOf(scheme, host))
}

/** As a browser writes it, without a default port; null for a host that is none. */
function originOf(scheme: string, host: string): string | null {
  try {
    return new URL(`${scheme}://${host}`).origin
  } catch {
    return null
  }
}

function cameByTls({ socket, headers }: IncomingMessage, isTrusted: (ip: string) => boolean): boolean {
  if ((socket as Partial<TLSSocket>).encrypted === true) return true
  const proto = headers['x-forwarded-proto']
  return isTrusted(normalizeIp(socket.remoteAddress ?? '') ?? '') && String(proto).trim().toLowerCase() === 'https'
}

const refusal = (origin: string): AppError =>
  new AppError(
    httpReasons.origin_refused,
    `a page of ${JSON.stringify(origin.slice(0, 200))} may not do this: use the venue's own page, or have its operator list that origin in APP_ORIGINS`,
  )
