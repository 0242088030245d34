import fc from 'fast-check'
import { expect, test } from 'vitest'
import { accruedIndices } from '../../server/src/perp/maths/funding.ts'
import { dormantAmm, PERP_EXPIRY, STATUS } from './amm.ts'
import { accrueFunding } from './funding.ts'
import { priceToSqrt } from './tick.ts'
import { WAD } from './wad.ts'

const price = fc.bigInt({ min: WAD / 1000n, max: 200_000n * WAD })
const side = fc.oneof(fc.constant(0n), fc.bigInt({ min: 1n, max: 10n ** 27n }))
const index = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n })

test('the funding that the server counts on is the model’s to the wei', () => {
  const cases = fc.record({
    fair: price,
    mark: price,
    totalLong: side,
    totalShort: side,
    longFundingIndex: index,
    shortFundingIndex: index,
    elapsedSec: fc.integer({ min: 0, max: 100_000 }),
    fundingHour: fc.constantFrom(0, 1, 8, 24),
  })
  fc.assert(
    fc.property(cases, ({ fair, mark, elapsedSec, fundingHour, ...sides }) => {
      const dormant = dormantAmm(PERP_EXPIRY)
      const amm = { ...dormant, ...sides, status: STATUS.TRADING, timestamp: 1000, sqrtPX96: priceToSqrt(fair) }
      const { longFundingIndex, shortFundingIndex } = accrueFunding(amm, mark, fundingHour, 1000 + elapsedSec)
      expect(accruedIndices(amm, mark, fundingHour, elapsedSec)).toMatchObject({ longFundingIndex, shortFundingIndex })
    }),
    { numRuns: 2000 },
  )
})
