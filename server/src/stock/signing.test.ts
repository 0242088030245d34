import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodedUri, payloadHead, signRequest, sortedUri } from './signing.ts'

interface Vector {
  readonly name: string
  readonly secret: string
  readonly method: string
  readonly uri: string
  readonly timestamp: string
  readonly nonce: string
  readonly body: string
  readonly signedUri: string
  readonly signature: string
}

const path = join(import.meta.dirname, '../../../sdk/vectors/stock-signing.json')
const file: { readonly vectors: readonly Vector[] } = JSON.parse(readFileSync(path, 'utf8'))

describe('the vectors', () => {
  it.each(file.vectors)('$name', (vector) => {
    expect(sortedUri(vector.uri)).toBe(vector.signedUri)
    const headers = signRequest({
      method: vector.method,
      uri: vector.uri,
      body: vector.body,
      apiKey: 'key',
      apiSecret: vector.secret,
      chainId: 8453,
      productType: 'Bourse',
      timestampMs: Number(vector.timestamp),
      nonce: vector.nonce,
    })
    expect(headers).toEqual({
      'x-api-key': 'key',
      'x-api-ts': vector.timestamp,
      'x-api-nonce': vector.nonce,
      'x-api-sign': vector.signature,
      'x-api-chain-id': '8453',
      'x-api-p': 'Bourse',
    })
  })

  it('hold the two of the interface description', () => {
    const signatures = file.vectors.map((vector) => vector.signature)
    expect(signatures).toContain('650b4e12851b7c26b471f4a774758bb70a8feedf9af8a9b9fc4c4519ffb15f83')
    expect(signatures).toContain('c9b4bd38282c45a13b6fc3a0d18fc3f53a40201f88a69ee1b2b041968d68745d')
  })
})

describe('payloadHead', () => {
  it('is four lines, each ended by one newline', () => {
    const head = payloadHead({ method: 'GET', uri: '/api/v1/config', timestamp: '1', nonce: 'n' })
    expect(head).toBe('GET\n/api/v1/config\n1\nn\n')
  })
})

describe('sortedUri', () => {
  it('keeps every pair, in order among equal names', () => {
    const pairs = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'ab', 'B'), fc.integer({ min: 0, max: 9 })), {
      minLength: 1,
    })
    fc.assert(
      fc.property(pairs, (list) => {
        const sorted = sortedUri(`/x?${list.map(([name, value]) => `${name}=${value}`).join('&')}`)
        const expected = [...list].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
        expect(sorted).toBe(`/x?${expected.map(([name, value]) => `${name}=${value}`).join('&')}`)
      }),
    )
  })
})

describe('decodedUri', () => {
  it.each([
    ['/x', null],
    ['/x?a=1', null],
    ['/x?status=Partial%20filled', '/x?status=Partial filled'],
    ['/x?status=Partial+filled', '/x?status=Partial filled'],
    ['/x?b=%41&%61=1', '/x?a=1&b=A'],
    ['/x?a=%C3%BC', `/x?a=${Buffer.from('ü').toString('latin1')}`],
    // Ambiguous when decoded: a single form only.
    ['/x?a=1%26b=2', null],
    ['/x?a=1%3Db', null],
    ['/x?a=1%0A2', null],
    ['/x?a=%2541', null],
    ['/x?a=%', null],
    ['/x?a=%ff', null],
  ])('%j as %j', (uri, decoded) => {
    expect(decodedUri(uri)).toBe(decoded)
  })
})
