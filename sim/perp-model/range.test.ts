import { Range as SdkRange } from '@synfutures/perpv3-ts/types'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dormantAmm } from './amm.ts'
import { deltaQuote } from './curve.ts'
import { isImrSafe } from './position.ts'
import {
  entryBase,
  feeEarned,
  liquidityFor,
  minLiquidity,
  type Range,
  rangeKey,
  rangeTicks,
  toPosition,
} from './range.ts'
import { sqrtToPrice, sqrtToTick, tickToSqrt } from './tick.ts'
import { abs, ratioToWad, WAD, wmul, wmulUp } from './wad.ts'

const sqrtEntryPX96 = 4339505179874779489431521786241n
const vectorTicks = { tickLower: 78_050, tickUpper: 82_100 }
const vector: Range = { liquidity: 784318785823604467008n, entryFeeIndex: 0n, balance: 1000n * WAD, sqrtEntryPX96 }

function ammAt(sqrtPX96: bigint) {
  return { ...dormantAmm(4_294_967_295), sqrtPX96, tick: sqrtToTick(sqrtPX96), feeIndex: 123_456_789_012_345n }
}

describe('vector of perp-protocol 3.8', () => {
  test('liquidity and virtual inventory', () => {
    expect(liquidityFor(1000n * WAD, sqrtEntryPX96, vectorTicks, 1000)).toBe(vector.liquidity)
    expect(entryBase(vector, vectorTicks)).toBe(1383550139899430214n)
    expect(deltaQuote(tickToSqrt(78_050), sqrtEntryPX96, vector.liquidity, 'up')).toBe(4122229110777054054038n)
  })

  test('the position at either edge', () => {
    const atUpper = toPosition(vector, vectorTicks, { ...ammAt(tickToSqrt(82_100)), feeIndex: 0n })
    expect(atUpper.balance).toBe(508597631106771055483n)
    expect(atUpper.size).toBe(-1383550139899430214n)
    expect(atUpper.entryNotional).toBe(5085976311067710577442n)
    const atLower = toPosition(vector, vectorTicks, { ...ammAt(tickToSqrt(78_050)), feeIndex: 0n })
    expect(atLower.balance).toBe(604441239616302687756n)
    expect(atLower.size).toBe(1519924512055304644n)
    expect(atLower.entryNotional).toBe(3726670350393356741795n)
    expect(wmulUp(atUpper.entryNotional, ratioToWad(1000)) - atUpper.balance).toBe(2262n)
  })

  test('keys', () => {
    expect(rangeKey({ tickLower: -1000, tickUpper: 2000 })).toBe(281458199496656)
    expect(rangeTicks(281458199496656)).toEqual({ tickLower: -1000, tickUpper: 2000 })
  })
})

const ranges = fc
  .record({
    entryTick: fc.integer({ min: -150_000, max: 200_000 }),
    below: fc.integer({ min: 953, max: 16_096 }),
    above: fc.integer({ min: 953, max: 16_096 }),
    margin: fc.bigInt({ min: 10n ** 18n, max: 10n ** 25n }),
    offset: fc.integer({ min: -20_000, max: 20_000 }),
    bps: fc.integer({ min: 100, max: 2000 }),
  })
  .map(({ entryTick, below, above, margin, offset, bps }) => {
    const ticks = { tickLower: entryTick - below, tickUpper: entryTick + above }
    const entry = tickToSqrt(entryTick) + 12_345n
    const liquidity = liquidityFor(margin, entry, ticks, bps)
    const range: Range = { liquidity, entryFeeIndex: 7n, balance: margin, sqrtEntryPX96: entry }
    return { ticks, range, bps, amm: ammAt(tickToSqrt(entryTick + offset) + 999n) }
  })

test('agrees with the published SDK', () => {
  fc.assert(
    fc.property(ranges, ({ ticks, range, bps, amm }) => {
      const { liquidity, entryFeeIndex, balance, sqrtEntryPX96: entry } = range
      const sdk = new SdkRange(liquidity, entryFeeIndex, balance, entry, ticks.tickLower, ticks.tickUpper)
      expect(liquidity).toBe(sdk.calcEntryDelta(entry, balance, bps).liquidity)
      expect(entryBase(range, ticks)).toBe(sdk.entryDeltaBase())
      expect(feeEarned(range, amm.feeIndex)).toBe(sdk.feeEarned(amm))
      expect(rangeKey(ticks)).toBe(SdkRange.packKey(ticks.tickLower, ticks.tickUpper))
      const ours = toPosition(range, ticks, amm)
      expect(ours).toEqual({ ...sdk.toPosition(amm) })
    }),
    { numRuns: 500 },
  )
})

test('removing at the entry price gives the margin back but one wei, and no position', () => {
  fc.assert(
    fc.property(ranges, ({ ticks, range }) => {
      const amm = { ...ammAt(range.sqrtEntryPX96), feeIndex: 7n }
      expect(toPosition(range, ticks, amm)).toMatchObject({ size: 0n, balance: range.balance - 1n })
    }),
  )
})

test('at both edges the position covers the initial margin but for dust', () => {
  fc.assert(
    fc.property(ranges, ({ ticks, range, bps }) => {
      for (const edge of [ticks.tickLower, ticks.tickUpper]) {
        const amm = { ...ammAt(tickToSqrt(edge)), feeIndex: 7n }
        const position = toPosition(range, ticks, amm)
        const fair = sqrtToPrice(amm.sqrtPX96)
        // The last wei of the price and of each rounding, per unit of base.
        const dust = 4n * (wmul(WAD, abs(position.size)) / 10n ** 18n + 1n) + fair / 10n ** 17n + 4n
        expect(isImrSafe(amm, { ...position, balance: position.balance + dust }, bps, fair)).toBe(true)
      }
    }),
  )
})

test('the least liquidity follows from the value', () => {
  expect(minLiquidity(2000n * WAD, sqrtEntryPX96)).toBe((2000n * WAD * 2n ** 96n) / (2n * sqrtEntryPX96))
  expect(minLiquidity(200n * WAD, sqrtEntryPX96)).toBe(1825741858350553711n)
})
