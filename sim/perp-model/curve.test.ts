import { Range } from '@synfutures/perpv3-ts/types'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deltaBase, deltaQuote, nextSqrt, stepCurve } from './curve.ts'
import { Q96, tickToSqrt } from './tick.ts'

const roots = fc.integer({ min: -150_000, max: 250_000 }).map(tickToSqrt)
const liquidity = fc.bigInt({ min: 1n, max: 10n ** 27n })

test('amounts between two prices, rounded both ways', () => {
  // Between prices 1 and 4 a liquidity of 1000 holds 500 base and 1000 quote.
  expect([deltaBase(Q96, 2n * Q96, 1000n, 'up'), deltaBase(2n * Q96, Q96, 1000n, 'down')]).toEqual([500n, 500n])
  expect([deltaQuote(Q96, 2n * Q96, 1000n, 'up'), deltaQuote(2n * Q96, Q96, 1000n, 'down')]).toEqual([1000n, 1000n])
  expect([deltaBase(Q96, 2n * Q96, 3n, 'up'), deltaBase(Q96, 2n * Q96, 3n, 'down')]).toEqual([2n, 1n])
  expect([deltaQuote(Q96, Q96 + 1n, 3n, 'up'), deltaQuote(Q96, Q96 + 1n, 3n, 'down')]).toEqual([1n, 0n])
})

test('agrees with the published SDK', () => {
  const range = new Range(0n, 0n, 0n, Q96, 0, 1)
  fc.assert(
    fc.property(roots, roots, liquidity, (a, b, l) => {
      expect(deltaBase(a, b, l, 'up')).toBe(range.getDeltaBase(a, b, l, true))
      expect(deltaBase(a, b, l, 'down')).toBe(range.getDeltaBase(a, b, l, false))
      expect(deltaQuote(a, b, l, 'up')).toBe(range.getDeltaQuote(a, b, l, true))
      expect(deltaQuote(a, b, l, 'down')).toBe(range.getDeltaQuote(a, b, l, false))
    }),
    { numRuns: 500 },
  )
  expect(range.getDeltaQuoteAutoRoundUp(Q96, 2n * Q96, 1000n)).toBe(1000n)
})

test('a step stops at its target or when the base is used up, and never favours the taker', () => {
  fc.assert(
    fc.property(roots, roots, liquidity, fc.bigInt({ min: 1n, max: 10n ** 25n }), (from, target, l, amount) => {
      fc.pre(from !== target)
      const isLong = target > from
      const step = stepCurve(from, target, l, isLong ? amount : -amount)
      const isBetween = isLong
        ? from <= step.sqrtPX96 && step.sqrtPX96 <= target
        : target <= step.sqrtPX96 && step.sqrtPX96 <= from
      expect(isBetween).toBe(true)
      expect(step.base <= amount && (step.reached || step.base === amount)).toBe(true)
      const exact = l * (isLong ? step.sqrtPX96 - from : from - step.sqrtPX96)
      expect(isLong ? step.quote * Q96 >= exact : step.quote * Q96 <= exact).toBe(true)
    }),
  )
  expect(stepCurve(Q96, 2n * Q96, 1000n, 500n).reached).toBe(true)
  expect(stepCurve(Q96, 2n * Q96, 1000n, 499n).reached).toBe(false)
})

test('the next price is rounded up, also where 256 bits overflow', () => {
  expect(nextSqrt(Q96, 1000n, 500n)).toBe(2n * Q96)
  expect(nextSqrt(2n * Q96, 1000n, -500n)).toBe(Q96)
  expect(nextSqrt(Q96, 3n, -1n)).toBe((3n * Q96 + 3n) / 4n)
  const top = 2n ** 130n
  expect(nextSqrt(top, 10n ** 24n, -(2n ** 127n))).toBe(
    (10n ** 24n * Q96) / ((10n ** 24n * Q96) / top + 2n ** 127n) + 1n,
  )
})
