import { expect, test } from 'vitest'
import { bumpedFees, freshFees, isBeyondCeiling } from './fees.ts'

const policy = { minPriorityFeeWei: 10n, baseFeePercent: 200, bumpPercent: 20, bumpAfterMs: 1000 }

test('a fresh fee is the base fee with its buffer plus the higher of the two tips', () => {
  expect(freshFees(100n, 25n, policy)).toEqual({ maxFeeWei: 225n, maxPriorityFeeWei: 25n })
  expect(freshFees(100n, 3n, policy)).toEqual({ maxFeeWei: 210n, maxPriorityFeeWei: 10n })
})

test('a bump raises both fees by the percentage at least, rounded up', () => {
  const bumped = bumpedFees({ maxFeeWei: 211n, maxPriorityFeeWei: 11n }, freshFees(100n, 0n, policy), policy)
  expect(bumped).toEqual({ maxFeeWei: 254n, maxPriorityFeeWei: 14n })
})

test('a bump takes the fresh fee where the base fee has run away', () => {
  const bumped = bumpedFees({ maxFeeWei: 210n, maxPriorityFeeWei: 10n }, freshFees(5000n, 0n, policy), policy)
  expect(bumped).toEqual({ maxFeeWei: 10_010n, maxPriorityFeeWei: 12n })
})

test('a bump ends at ten times a fresh fee', () => {
  const fresh = freshFees(100n, 0n, policy)
  const beyond = (maxFeeWei: bigint) =>
    isBeyondCeiling(bumpedFees({ maxFeeWei, maxPriorityFeeWei: 50n }, fresh, policy), fresh)
  expect([beyond(1700n), beyond(2000n)]).toEqual([false, true])
})
