import { Position as SdkPosition } from '@synfutures/perpv3-ts/types'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Amm, dormantAmm } from './amm.ts'
import {
  combine,
  equity,
  fundingFee,
  isImrSafe,
  isMmrSafe,
  liquidationPrice,
  maxWithdrawable,
  openPosition,
  type Position,
  pricePnl,
  socialLoss,
} from './position.ts'
import { WAD } from './wad.ts'

const signedAmount = fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n })
const magnitude = fc.bigInt({ min: 10n ** 9n, max: 10n ** 23n })
const size = fc.tuple(magnitude, fc.boolean()).map(([s, isLong]) => (isLong ? s : -s))
const notional = fc.bigInt({ min: 1n, max: 10n ** 25n })
const index = fc.bigInt({ min: -(10n ** 21n), max: 10n ** 21n })
const lossIndex = fc.bigInt({ min: 10n ** 18n, max: 10n ** 20n })
const price = fc.bigInt({ min: 10n ** 10n, max: 10n ** 23n })
const ratio = fc.integer({ min: 100, max: 5000 })

const amms = fc
  .record({
    longFundingIndex: index,
    shortFundingIndex: index,
    longSocialLossIndex: lossIndex,
    shortSocialLossIndex: lossIndex,
  })
  .map((indices): Amm => ({ ...dormantAmm(4_294_967_295), ...indices }))

/** Social loss is left out where SDKs disagree about it: indices that only grow, entered at or below the current ones. */
const positions = fc.record<Position>({
  balance: signedAmount,
  size,
  entryNotional: notional,
  entrySocialLossIndex: fc.bigInt({ min: 0n, max: 10n ** 18n }),
  entryFundingIndex: index,
})

function toSdk(p: Position): SdkPosition {
  return new SdkPosition(p.balance, p.size, p.entryNotional, p.entrySocialLossIndex, p.entryFundingIndex)
}

function amountsOf({ balance, size, entryNotional }: Position): Pick<Position, 'balance' | 'size' | 'entryNotional'> {
  return { balance, size, entryNotional }
}

test('closing part of a long settles the difference of notionals', () => {
  const amm = dormantAmm(4_294_967_295)
  const long = openPosition(amm, 100n * WAD, 2n * WAD, 6000n * WAD)
  const short = openPosition(amm, -1n * WAD, -1n * WAD, 3100n * WAD)
  const { position, closedSize, realised } = combine(amm, long, short)
  expect([closedSize, realised]).toEqual([WAD, 100n * WAD])
  expect(position).toEqual(openPosition(amm, 199n * WAD, WAD, 3000n * WAD))
})

test('a flip keeps the rest of the larger side; a full close leaves no notional and no indices', () => {
  const amm = { ...dormantAmm(4_294_967_295), shortFundingIndex: 5n }
  const long = openPosition(amm, 100n * WAD, WAD, 3000n * WAD)
  const flipped = combine(amm, long, openPosition(amm, 0n, -3n * WAD, 9300n * WAD))
  expect(flipped.position).toEqual(openPosition(amm, 200n * WAD, -2n * WAD, 6200n * WAD))
  expect(flipped.position.entryFundingIndex).toBe(5n)
  const closed = combine(amm, long, openPosition(amm, 0n, -WAD, 2990n * WAD))
  expect(closed.position).toEqual({
    balance: 90n * WAD,
    size: 0n,
    entryNotional: 0n,
    entrySocialLossIndex: 0n,
    entryFundingIndex: 0n,
  })
})

test('funding and social loss are realised by a merge', () => {
  const before = dormantAmm(4_294_967_295)
  const long = openPosition(before, 0n, 2n * WAD, 6000n * WAD)
  const amm = { ...before, longFundingIndex: -3n * WAD, longSocialLossIndex: WAD }
  const { position } = combine(amm, long, openPosition(amm, 0n, WAD, 3000n * WAD))
  expect(position).toEqual({
    balance: -8n * WAD,
    size: 3n * WAD,
    entryNotional: 9000n * WAD,
    entrySocialLossIndex: WAD,
    entryFundingIndex: -3n * WAD,
  })
})

test('values agree with the published SDK', () => {
  fc.assert(
    fc.property(amms, positions, price, ratio, (amm, position, mark, bps) => {
      const sdk = toSdk(position)
      expect(fundingFee(amm, position)).toBe(sdk.fundingFee(amm))
      expect(socialLoss(amm, position)).toBe(sdk.socialLoss(amm))
      expect(pricePnl(position, mark)).toBe(sdk.pricePnl(mark))
      expect(equity(amm, position, mark)).toBe(sdk.equity(amm, mark))
      expect(isImrSafe(amm, position, bps, mark)).toBe(sdk.isImrSafe(amm, bps, true, mark))
      expect(isMmrSafe(amm, position, bps, mark)).toBe(sdk.isMmrSafe(amm, bps, mark))
      expect(liquidationPrice(amm, position, bps)).toBe(sdk.liquidationPrice(amm, bps))
    }),
    { numRuns: 1000 },
  )
})

test('the withdrawable margin agrees with the published SDK where there is no unrealised social loss', () => {
  fc.assert(
    fc.property(amms, positions, price, ratio, (amm, position, mark, bps) => {
      const side = position.size > 0n ? amm.longSocialLossIndex : amm.shortSocialLossIndex
      const settled = { ...position, entrySocialLossIndex: side }
      expect(maxWithdrawable(amm, settled, bps, mark)).toBe(toSdk(settled).maxWithdrawable(amm, bps, mark))
    }),
    { numRuns: 1000 },
  )
})

test('merging agrees with the published SDK', () => {
  fc.assert(
    fc.property(amms, positions, positions, (amm, first, second) => {
      const ours = combine(amm, first, second)
      const theirs = SdkPosition.combine(amm, toSdk(first), toSdk(second))
      expect(ours.closedSize).toBe(theirs.closedSize)
      const { balance, size, entryNotional } = ours.position
      expect({ balance, size, entryNotional }).toMatchObject(amountsOf(theirs.position))
      // The SDK keeps the indices of a flat position, and of one whose funding rounds to nothing.
      const hasFunding = fundingFee(amm, first) !== 0n && fundingFee(amm, second) !== 0n
      if (size !== 0n && hasFunding) expect(ours.position).toEqual({ ...theirs.position })
    }),
    { numRuns: 1000 },
  )
})
