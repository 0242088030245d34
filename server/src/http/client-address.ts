import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net'

/** The client's address from the peer's address and the `x-forwarded-for` header. */
export type ClientAddress = (peer: string | undefined, forwardedFor: string | string[] | undefined) => string

/**
 * The client is the rightmost address of the forwarding chain that is not a trusted proxy (design 7, "Access"). Headers of
 * a peer that is no trusted proxy are ignored; an entry that is no address ends the walk, so the answer is always an
 * address that a trusted party vouched for. `trusted` holds addresses and CIDR ranges; a bad one throws.
 */
export function clientAddress(trusted: readonly string[]): ClientAddress {
  if (trusted.length === 0) return (peer) => normalizeIp(peer ?? '') ?? ''
  const isTrusted = trustedProxies(trusted)
  return (peer, forwardedFor) => {
    let client = normalizeIp(peer ?? '') ?? ''
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
  return (ip) => ip !== '' && list.check(ip, isIPv4(ip) ? 'ipv4' : 'ipv6')
}

function trustedList(trusted: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of trusted) {
    const [address = '', bits, ...rest] = entry.split('/')
    const ip = normalizeIp(address)
    const family = ip !== null && isIPv4(ip) ? 'ipv4' : 'ipv6'
    const prefix = bits === undefined ? null : Number(bits)
    const prefixFits = prefix === null || (/^\d+$/.test(bits ?? '') && prefix <= (family === 'ipv4' ? 32 : 128))
    if (ip === null || !prefixFits || rest.length > 0) {
      throw new Error(`trusted proxy ${JSON.stringify(entry)} is neither an address nor a range such as 10.0.0.0/8`)
    }
    if (prefix === null) list.addAddress(ip, family)
    else list.addSubnet(ip, prefix, family)
  }
  return list
}

/** Some proxies add the port: `203.0.113.7:4711`, `[2001:db8::1]:4711`. */
function withoutPort(entry: string): string {
  return /^\[(.+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(entry)?.[1] ?? entry
}

/** The one spelling of an address: IPv6 compressed, without zone, IPv4-mapped as IPv4. Null when it is no address. */
export function normalizeIp(text: string): string | null {
  const family = isIP(text)
  if (family === 4) return text
  if (family === 0) return null
  // What a dual-stack socket reports for an IPv4 peer, on every request.
  if (text.startsWith('::ffff:') && isIPv4(text.slice(7))) return text.slice(7)
  const zone = text.indexOf('%')
  const { address } = new SocketAddress({ address: zone < 0 ? text : text.slice(0, zone), family: 'ipv6' })
  return address.startsWith('::ffff:') && isIPv4(address.slice(7)) ? address.slice(7) : address
}
