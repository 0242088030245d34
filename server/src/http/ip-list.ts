import { BlockList, isIP, isIPv4, SocketAddress } from 'node:net'

/** Addresses that are in or out; an address is asked for in its one spelling (`normalizeIp`). */
export interface IpList {
  has(ip: string): boolean
}

const familyOf = (ip: string): 'ipv4' | 'ipv6' => (isIPv4(ip) ? 'ipv4' : 'ipv6')

/** The addresses and ranges of a list whose entries `normalizeIpRange` has passed. */
export function ipList(entries: readonly string[]): IpList {
  const addresses = new Set(entries.filter((entry) => !entry.includes('/')))
  const ranges = new BlockList()
  for (const entry of entries) {
    const [network = '', bits] = entry.split('/')
    if (bits !== undefined) ranges.addSubnet(network, Number(bits), familyOf(network))
  }
  if (addresses.size === entries.length) return addresses
  // What is no address, such as that of a peer that is gone, is in no range.
  return { has: (ip) => addresses.has(ip) || (isIP(ip) !== 0 && ranges.check(ip, familyOf(ip))) }
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

/**
 * The one spelling of an address or of a CIDR range such as `10.0.0.0/8` or `2001:db8::/32`. Null for anything else: a range with
 * bits set beyond its prefix, where one of the two is a mistake; one of IPv4 addresses in IPv6's spelling; one with a zone.
 */
export function normalizeIpRange(text: string): string | null {
  const [address = '', bits, ...rest] = text.split('/')
  const ip = normalizeIp(address)
  if (ip === null || rest.length > 0) return null
  if (bits === undefined) return ip
  const isMapped = isIPv4(ip) && !isIPv4(address)
  const width = isIPv4(ip) ? 32 : 128
  if (isMapped || address.includes('%') || !/^(0|[1-9]\d{0,2})$/.test(bits) || Number(bits) > width) return null
  const hostBits = BigInt(width - Number(bits))
  return bitsOf(ip) % (1n << hostBits) === 0n ? `${ip}/${bits}` : null
}

/**
 * What an address in its one spelling is counted under: itself, and of IPv6 its first 64 bits, since one connection has all addresses
 * that begin with them. What is no address stays as it is.
 */
export function networkOf(ip: string): string {
  if (!ip.includes(':')) return ip
  const prefix = (bitsOf(ip) >> 64n).toString(16).padStart(16, '0')
  return `${prefix.replaceAll(/(.{4})(?=.)/g, '$1:')}::/64`
}

/** The address as a number. */
function bitsOf(ip: string): bigint {
  if (isIPv4(ip)) return ip.split('.').reduce((bits, byte) => (bits << 8n) | BigInt(byte), 0n)
  // The URL standard's spelling is in hexadecimal alone.
  const [before = '', after] = new URL(`http://[${ip}]`).hostname.slice(1, -1).split('::')
  const words = (part: string | undefined) => (part ? part.split(':') : [])
  const [head, tail] = [words(before), words(after)]
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return [...head, ...zeros, ...tail].reduce((bits, word) => (bits << 16n) | BigInt(`0x${word}`), 0n)
}

/** Whether an address in its one spelling is of this machine alone. */
export const isLoopback = (ip: string): boolean => ip === '::1' || /^127\.\d+\.\d+\.\d+$/.test(ip)

/** Whether a Host header, or what follows the scheme of an origin, names this machine alone. */
export const isLoopbackHost = (host: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/.test(host)
