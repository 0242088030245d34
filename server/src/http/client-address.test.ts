import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { clientAddress, fromThisMachine } from './client-address.ts'
import { normalizeIp } from './ip-list.ts'

describe('clientAddress', () => {
  const behindProxies = clientAddress(['10.0.0.0/8', '2001:db8::/32', '192.0.2.7'])

  it.each([
    ['no header', '10.0.0.1', undefined, '10.0.0.1'],
    ['one proxy', '10.0.0.1', '203.0.113.5', '203.0.113.5'],
    ['two proxies', '10.0.0.1', '203.0.113.5, 192.0.2.7', '203.0.113.5'],
    ['a client that forges an entry', '10.0.0.1', '127.0.0.1, 203.0.113.5', '203.0.113.5'],
    ['a peer that is no proxy', '203.0.113.9', '127.0.0.1', '203.0.113.9'],
    ['only proxies', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['a peer as mapped IPv6', '::ffff:10.0.0.1', '203.0.113.5', '203.0.113.5'],
    ['an entry as mapped IPv6', '10.0.0.1', '::ffff:203.0.113.5', '203.0.113.5'],
    ['an entry in another spelling', '2001:DB8::1', '2001:0470:0:0::00AB', '2001:470::ab'],
    ['entries with ports', '10.0.0.1', '198.51.100.1, [2001:470::1]:443', '2001:470::1'],
    ['an entry with a port', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['garbage', '10.0.0.1', '127.0.0.1, unknown', '10.0.0.1'],
    ['garbage behind a proxy', '10.0.0.1', '127.0.0.1, , 10.0.0.2', '10.0.0.2'],
    ['an empty header', '10.0.0.1', '', '10.0.0.1'],
  ])('%s', (_name, peer, header, client) => {
    expect(behindProxies(peer, header)).toBe(client)
  })

  it('ignores the header when no proxy is trusted', () => {
    expect(clientAddress([])('::ffff:127.0.0.1', '203.0.113.5')).toBe('127.0.0.1')
  })

  it.each(['10.0.0.0/33', 'proxy.example', '10.0.0.0/8/8', '10.0.0.0/', '::/129', '10.0.0.1/8', ''])(
    'refuses the proxy %j',
    (entry) => {
      expect(() => clientAddress([entry])).toThrow('neither an address nor a range')
    },
  )
})

/** What a proxy may add, one for each way to say that it passes a request on. */
const PASSED_ON: [string, string][] = [
  ['forwarded', 'for=203.0.113.5'],
  ['x-forwarded-for', '203.0.113.5'],
  ['x-forwarded-host', 'trade.example'],
  ['x-forwarded-proto', 'https'],
  ['x-real-ip', '203.0.113.5'],
  ['via', '1.1 proxy'],
]

describe('fromThisMachine', () => {
  const isHere = fromThisMachine(['10.0.0.1', '127.0.0.9'])
  const from = (remoteAddress: string, headers: Record<string, string> = {}) =>
    isHere({ socket: { remoteAddress }, headers } as unknown as IncomingMessage)

  it('is who is on it, and for whom a trusted proxy says so', () => {
    expect(['127.0.0.1', '::1', '::ffff:127.0.0.9'].map((peer) => from(peer))).toEqual([true, true, true])
    expect(['10.0.0.1', '203.0.113.5', ''].map((peer) => from(peer))).toEqual([false, false, false])
    for (const peer of ['10.0.0.1', '127.0.0.9']) {
      expect([peer, from(peer, { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' })]).toEqual([peer, true])
    }
  })

  it.each(PASSED_ON)('is nobody for whom a proxy on it speaks by %s alone', (name, value) => {
    expect([from('127.0.0.1', { [name]: value }), from('127.0.0.9', { [name]: value })]).toEqual([false, false])
  })
})

describe('normalizeIp', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:127.0.0.1', '127.0.0.1'],
    ['::FFFF:7f00:1', '127.0.0.1'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['127.0.0.01', null],
    ['127.0.0.0/8', null],
    ['', null],
  ])('%j is %j', (text, ip) => {
    expect(normalizeIp(text)).toBe(ip)
  })
})
