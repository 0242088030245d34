import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Amm, dormantAmm, STATUS } from './amm.ts'
import { accrueFunding, fundingPeriodSec } from './funding.ts'
import { priceToSqrt, sqrtToPrice } from './tick.ts'
import { WAD, wmul } from './wad.ts'

const MARK = 3000n * WAD

function ammWith(fairWad: bigint, totalLong: bigint, totalShort: bigint): Amm {
  const base = { ...dormantAmm(4_294_967_295), status: STATUS.TRADING, timestamp: 1000 }
  return { ...base, sqrtPX96: priceToSqrt(fairWad), totalLong, totalShort }
}

describe('who pays whom', () => {
  test('longs pay while the fair price is above the mark', () => {
    const after = accrueFunding(ammWith(3030n * WAD, 7n * WAD, 3n * WAD), MARK, 8, 4600)
    expect(after).toEqual({
      timestamp: 4600,
      longFundingIndex: -3750000000000000000n,
      shortFundingIndex: 8750000000000000000n,
      insuranceFund: 0n,
    })
  })

  test('shorts pay otherwise', () => {
    const after = accrueFunding(ammWith(2970n * WAD, 7n * WAD, 3n * WAD), MARK, 8, 4600)
    expect([after.longFundingIndex > 0n, after.shortFundingIndex < 0n]).toEqual([true, true])
  })

  test('without a receiver the insurance fund receives', () => {
    const after = accrueFunding(ammWith(3030n * WAD, 7n * WAD, 0n), MARK, 8, 4600)
    expect(after.insuranceFund).toBe(26250000000000000000n)
    expect(after.shortFundingIndex).toBe(0n)
  })

  test('without a payer nothing is paid and the time is forgotten', () => {
    const amm = ammWith(3030n * WAD, 0n, 3n * WAD)
    expect(accrueFunding(amm, MARK, 8, 4600)).toEqual({
      timestamp: 4600,
      longFundingIndex: 0n,
      shortFundingIndex: 0n,
      insuranceFund: 0n,
    })
  })

  test('funding hour 0 is a day', () => {
    expect([fundingPeriodSec(0), fundingPeriodSec(24), fundingPeriodSec(1)]).toEqual([86_400, 86_400, 3600])
  })
})

test('a second update in the same block changes nothing', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 2500n, max: 3500n }), fc.integer({ min: 0, max: 10 ** 6 }), (fair, elapsed) => {
      const amm = ammWith(fair * WAD, 5n * WAD, 4n * WAD)
      const once = { ...amm, ...accrueFunding(amm, MARK, 8, 1000 + elapsed) }
      expect({ ...once, ...accrueFunding(once, MARK, 8, 1000 + elapsed) }).toEqual(once)
    }),
  )
})

test('what is received does not exceed what is paid, but for a rounding of half a wei per unit', () => {
  const sizes = fc.bigInt({ min: 1n, max: 10n ** 24n })
  fc.assert(
    fc.property(
      sizes,
      sizes,
      fc.bigInt({ min: 2500n, max: 3500n }),
      fc.integer({ min: 1, max: 10 ** 6 }),
      (long, short, fair, elapsed) => {
        const amm = ammWith(fair * WAD + 7n, long, short)
        const after = accrueFunding(amm, MARK, 8, 1000 + elapsed)
        const isLongPaying = sqrtToPrice(amm.sqrtPX96) > MARK
        const [paid, received] = isLongPaying
          ? [-after.longFundingIndex * long, after.shortFundingIndex * short]
          : [-after.shortFundingIndex * short, after.longFundingIndex * long]
        const slack = (isLongPaying ? short : long) / 2n + WAD
        expect(received - paid <= slack).toBe(true)
        expect(wmul(paid, 1n) >= 0n).toBe(true)
      },
    ),
  )
})
