import { lookup as lookupAddress } from 'node:dns'
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import type { Duplex } from 'node:stream'
import { AppError } from '../lib/errors.ts'
import { pushReasons } from './reasons.ts'
import type { WebhookTargets } from './variables.ts'

const MAX_URL = 2048

/**
 * Addresses that are not of the public internet (RFC 6890 and the registries it names): loopback, private, link-local with
 * the metadata services of clouds, shared, documentation, benchmarking, multicast and reserved.
 */
const NOT_PUBLIC = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  NOT_PUBLIC.addSubnet(network, prefix, 'ipv4')
}
/** What an IPv6 address of the public internet lies in, but for the parts below. */
const GLOBAL_UNICAST = new BlockList()
GLOBAL_UNICAST.addSubnet('2000::', 3, 'ipv6')
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  NOT_PUBLIC.addSubnet(network, prefix, 'ipv6')
}

/** True for an address of the public internet. One that maps or carries an IPv4 address is not: nobody needs it here. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !NOT_PUBLIC.check(address, 'ipv4')
  return isIP(address) === 6 && GLOBAL_UNICAST.check(address, 'ipv6') && !NOT_PUBLIC.check(address, 'ipv6')
}

/** The address of a webhook. Throws `webhook_invalid` for what is no such address, or none that may be delivered to. */
export function webhookUrl(text: string, targets: WebhookTargets): URL {
  requireDelivery(targets)
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || text.length > MAX_URL || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw invalid(`the address must be a URL such as https://example.com/bourse of at most ${MAX_URL} characters`)
  }
  if (url.username !== '' || url.password !== '') throw invalid('the address must hold no user name or password')
  if (url.hash !== '') throw invalid('the address must hold no fragment')
  if (targets === 'any') return url
  if (url.protocol !== 'https:') throw invalid('the address must begin with https://: events travel encrypted')
  const host = hostOf(url)
  if (isIP(host) !== 0 && !isPublicAddress(host)) throw invalid(`${host} is no address of the public internet`)
  return url
}

/** Throws `webhook_invalid` where no webhook is told. */
export function requireDelivery(targets: WebhookTargets): void {
  if (targets === 'none') throw invalid('no webhook is told here (WEBHOOK_TARGETS=none)')
}

/** IPv6 without the brackets. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

const invalid = (message: string): AppError => new AppError(pushReasons.webhook_invalid, message)

/** Looks a name up and refuses it when any of its addresses is not public, at the moment of the connection. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookupAddress(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0)
    const refused = addresses.find(({ address }) => !isPublicAddress(address))
    const [first] = addresses
    if (refused || !first) {
      return callback(
        new Error(`${hostname} has the address ${refused?.address}, which is not of the public internet`),
        '',
        0,
      )
    }
    if (options.all) callback(null, addresses)
    else callback(null, first.address, first.family)
  })
}

const AGENT_OPTIONS = { keepAlive: true, maxSockets: 4, maxFreeSockets: 1, timeout: 30_000 }

export interface WebhookRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Sends webhooks; one object keeps their connections. */
export class WebhookSender {
  readonly #targets: WebhookTargets
  readonly #http = new HttpAgent(AGENT_OPTIONS)
  readonly #https = new HttpsAgent(AGENT_OPTIONS)

  constructor(targets: WebhookTargets) {
    this.#targets = targets
  }

  /**
   * Posts, and resolves to the HTTP status; no redirect is followed and nothing of the answer's body is kept. Rejects when there
   * is no answer in time, and for an address that may not be delivered to.
   */
  async post({ url, headers, body, timeoutMs, signal }: WebhookRequest): Promise<number> {
    webhookUrl(url.href, this.#targets)
    const isHttps = url.protocol === 'https:'
    const options = {
      method: 'POST',
      agent: isHttps ? this.#https : this.#http,
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      ...(this.#targets === 'public' ? { lookup: publicLookup } : {}),
    }
    return new Promise((resolve, reject) => {
      const request = (isHttps ? httpsRequest : httpRequest)(url, options, (response: IncomingMessage) => {
        resolve(response.statusCode ?? 0)
        // An answer that does not end, or is long, is cut; a short one is read, so that its connection serves again.
        const cut = setTimeout(() => response.destroy(), 1000)
        response.on('error', () => {})
        response.once('close', () => clearTimeout(cut))
        response.resume()
      })
      // 101: Node hands the connection over, and without a listener ends it without a word.
      request.once('upgrade', (response: IncomingMessage, socket: Duplex) => {
        socket.destroy()
        resolve(response.statusCode ?? 0)
      })
      request.on('error', (error) => {
        const isLate = error.name === 'TimeoutError' || (error.name === 'AbortError' && !signal.aborted)
        reject(isLate ? new Error(`no answer within ${timeoutMs} ms`) : error)
      })
      // Whatever Node does not tell: a webhook that waits is not served again.
      request.once('close', () => reject(new Error('the connection ended without an answer')))
      request.end(body)
    })
  }

  close(): void {
    this.#http.destroy()
    this.#https.destroy()
  }
}
