import fc from 'fast-check'
import { expect, test } from 'vitest'
import { allocateNonces, nonceGaps } from './nonces.ts'

test('takes the chain count first and goes up', () => {
  expect(allocateNonces(7n, new Set(), 3)).toEqual([7n, 8n, 9n])
})

test('fills gaps before it goes above what is held', () => {
  expect(allocateNonces(5n, new Set([5n, 7n, 8n]), 3)).toEqual([6n, 9n, 10n])
})

test('finds the gaps below the highest held nonce only', () => {
  expect(nonceGaps(5n, new Set([5n, 7n, 9n]))).toEqual([6n, 8n])
  expect(nonceGaps(5n, new Set())).toEqual([])
  expect(nonceGaps(5n, new Set([2n, 3n]))).toEqual([])
})

test('given enough intents, what is held is dense afterwards, whatever was held before', () => {
  const held = fc.uniqueArray(fc.bigInt({ min: 0n, max: 40n }))
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 40n }), held, (chainNonce, before) => {
      const set = new Set(before.filter((nonce) => nonce >= chainNonce))
      const gaps = nonceGaps(chainNonce, set)
      const taken = allocateNonces(chainNonce, set, gaps.length + 2)
      expect(taken.slice(0, gaps.length)).toEqual(gaps)
      const all = [...set, ...taken].sort((a, b) => (a < b ? -1 : 1))
      expect(all).toEqual(all.map((_, index) => chainNonce + BigInt(index)))
    }),
  )
})
