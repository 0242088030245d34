import type { IncomingMessage } from 'node:http'
import { remembered } from '../lib/remembered.ts'
import { type IpList, ipList, isLoopback, normalizeIp, normalizeIpRange } from './ip-list.ts'

/** Peers whose one spelling is remembered: each sends many requests. */
const PEERS = 1000

/** The client's address from the peer's address and the `x-forwarded-for` header. */
export type ClientAddress = (peer: string | undefined, forwardedFor: string | string[] | undefined) => string

/**
 * The client is the rightmost address of the forwarding chain that is not a trusted proxy. Headers of
 * a peer that is no trusted proxy are ignored; an entry that is no address ends the walk, so the answer is always an
 * address that a trusted party vouched for. `trusted` holds addresses and CIDR ranges; a bad one throws.
 */
export function clientAddress(trusted: readonly string[]): ClientAddress {
  const peerOf = remembered((peer) => normalizeIp(peer) ?? '', PEERS)
  if (trusted.length === 0) return (peer) => peerOf(peer ?? '')
  const isTrusted = trustedProxies(trusted)
  return (peer, forwardedFor) => {
    let client = peerOf(peer ?? '')
    if (forwardedFor === undefined || client === '' || !isTrusted(client)) return client
    const chain = String(forwardedFor).split(',')
    for (const entry of chain.reverse()) {
      const hop = normalizeIp(withoutPort(entry.trim()))
      if (hop === null) return client
      client = hop
      if (!isTrusted(client)) return client
    }
    return client
  }
}

/** Whether an address in its one spelling is that of a trusted proxy; an empty text is none. */
export function trustedProxies(trusted: readonly string[]): (ip: string) => boolean {
  const list = trustedList(trusted)
  return (ip) => ip !== '' && list.has(ip)
}

/** What proxies add. No client on this machine sends any of it by itself. */
const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via']

/** Whether a proxy, or somebody who poses as one, has passed the request on. */
export const isForwarded = ({ headers }: IncomingMessage): boolean =>
  FORWARDING.some((name) => headers[name] !== undefined)

/**
 * Whether a request comes from this machine. One that was passed on does when a trusted proxy says so by `x-forwarded-for`: whom another
 * proxy speaks for is unknown, be it on this machine. `trusted` as in `clientAddress`.
 */
export function fromThisMachine(trusted: readonly string[]): (request: IncomingMessage) => boolean {
  const isTrusted = trustedProxies(trusted)
  const addressOf = clientAddress(trusted)
  return (request) => {
    const peer = normalizeIp(request.socket.remoteAddress ?? '') ?? ''
    if (!isForwarded(request)) return isLoopback(peer)
    const forwardedFor = request.headers['x-forwarded-for']
    return isTrusted(peer) && forwardedFor !== undefined && isLoopback(addressOf(peer, forwardedFor))
  }
}

function trustedList(trusted: readonly string[]): IpList {
  const ranges = trusted.map((entry) => {
    const range = normalizeIpRange(entry)
    if (range !== null) return range
    throw new Error(`trusted proxy ${JSON.stringify(entry)} is neither an address nor a range such as 10.0.0.0/8`)
  })
  return ipList(ranges)
}

/** Some proxies add the port: `203.0.113.7:4711`, `[2001:db8::1]:4711`. */
function withoutPort(entry: string): string {
  return /^\[(.+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(entry)?.[1] ?? entry
}
