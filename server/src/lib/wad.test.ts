import fc from 'fast-check'
import { expect, it } from 'vitest'
import { divideUp, mulWadDown, mulWadUp, WAD, WAD_DECIMALS } from './wad.ts'

const amount = fc.bigInt({ min: 0n, max: 10n ** 40n })

it('one is written with its decimals', () => {
  expect(WAD).toBe(10n ** BigInt(WAD_DECIMALS))
})

it('a quotient rounded up is the smallest that covers the dividend', () => {
  fc.assert(
    fc.property(amount, fc.bigInt({ min: 1n, max: 10n ** 20n }), (dividend, divisor) => {
      const quotient = divideUp(dividend, divisor)
      expect(quotient * divisor).toBeGreaterThanOrEqual(dividend)
      expect((quotient - 1n) * divisor).toBeLessThan(dividend)
    }),
  )
})

it('a product is exact in its last digit, on the side that its name says', () => {
  fc.assert(
    fc.property(amount, amount, (a, b) => {
      const exact = a * b
      expect(mulWadDown(a, b)).toBe((exact - (exact % WAD)) / WAD)
      expect(mulWadUp(a, b) - mulWadDown(a, b)).toBe(exact % WAD === 0n ? 0n : 1n)
    }),
  )
  expect(mulWadDown(3n * WAD, 5n * WAD)).toBe(15n * WAD)
})
