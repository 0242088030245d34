import { describe, expect, it } from 'vitest'
import { ipList, networkOf, normalizeIpRange } from './ip-list.ts'

describe('normalizeIpRange', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:DB8:0::1', '2001:db8::1'],
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['203.0.113.7/32', '203.0.113.7/32'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:0DB8::/32', '2001:db8::/32'],
    ['2001:db8::1/128', '2001:db8::1/128'],
    ['::1.2.3.4/128', '::1.2.3.4/128'],
    ['::/0', '::/0'],
  ])('%j is %j', (text, range) => {
    expect(normalizeIpRange(text)).toBe(range)
  })

  it.each([
    '10.0.0.1/8',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/08',
    '10.0.0.0/8.0',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '10.0.0.0 /8',
    '10.0.0.0/255.0.0.0',
    '2001:db8::1/32',
    '2001:db8::/129',
    '::ffff:10.0.0.0/104',
    'fe80::%eth0/64',
    '/8',
    'localhost',
    '',
  ])('%j is none', (text) => {
    expect(normalizeIpRange(text)).toBeNull()
  })
})

describe('ipList', () => {
  const list = ipList(['203.0.113.7', '10.4.0.0/14', '2001:db8:8000::/33'])

  it.each(['203.0.113.7', '10.4.0.0', '10.7.255.255', '2001:db8:8000::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'])(
    'has %s',
    (ip) => {
      expect(list.has(ip)).toBe(true)
    },
  )

  it.each(['203.0.113.8', '10.3.255.255', '10.8.0.0', '2001:db8:7fff::1', '2001:db9::', '', 'unknown', '10.4.0.0/14'])(
    'does not have %j',
    (ip) => {
      expect(list.has(ip)).toBe(false)
    },
  )

  it('has nobody when it is empty', () => {
    expect(ipList([]).has('127.0.0.1')).toBe(false)
  })
})

describe('networkOf', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:0db8:0001:0002::/64'],
    ['2001:db8::1', '2001:0db8:0000:0000::/64'],
    ['::1', '0000:0000:0000:0000::/64'],
    ['', ''],
  ])('of %j is %j', (ip, network) => {
    expect(networkOf(ip)).toBe(network)
  })
})
