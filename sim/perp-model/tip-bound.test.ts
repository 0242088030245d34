import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mostTip } from '../../server/src/perp/maths/tip.ts'
import { type Amm, dormantAmm, PERP_EXPIRY } from './amm.ts'
import { minRangeValue, minTickDelta, type Setting } from './instrument.ts'
import { createSetup } from './markets.ts'
import { liquidityFor, minLiquidity, type RangeTicks, toPosition } from './range.ts'
import { createWorld } from './replay.ts'
import { priceToSqrt, sqrtToTick, tickToPrice, tickToSqrt } from './tick.ts'
import { WAD } from './wad.ts'
import { contextOf } from './world.ts'

const LEAST_MARGIN = 10n * WAD
const MOST_TICK_DELTA = 16_096
/** What rounding a few wei of liquidity and money comes to. */
const DUST = 1_000_000n

const known = contextOf(createWorld(createSetup()), 0).instrument.setting

const settingAt = (initialMarginRatio: number): Setting => ({
  ...known,
  initialMarginRatio,
  param: { ...known.param, minMarginAmount: LEAST_MARGIN },
})

const ammAt = (sqrtPX96: bigint): Amm => ({ ...dormantAmm(PERP_EXPIRY), sqrtPX96, tick: sqrtToTick(sqrtPX96) })

/** The least margin that a range between two ticks can be added with, and its liquidity. */
function leastRange(setting: Setting, sqrtPX96: bigint, ticks: RangeTicks) {
  const least = minLiquidity(minRangeValue(setting), sqrtPX96)
  const liquidity = (margin: bigint) => liquidityFor(margin, sqrtPX96, ticks, setting.initialMarginRatio)
  let [low, high] = [0n, 100n * minRangeValue(setting)]
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (liquidity(middle) >= least) high = middle
    else low = middle
  }
  return { liquidity: liquidity(high), balance: high, entryFeeIndex: 0n, sqrtEntryPX96: sqrtPX96 }
}

/** What a range is worth just beyond each of its edges. */
function leftBeyondEdges(setting: Setting, sqrtPX96: bigint, ticks: RangeTicks): bigint[] {
  const range = leastRange(setting, sqrtPX96, ticks)
  const edges = [tickToSqrt(ticks.tickLower) - 1n, tickToSqrt(ticks.tickUpper)]
  // The position is entered at the fair price: its balance is all that it is worth there.
  return edges.map((sqrt) => toPosition(range, ticks, ammAt(sqrt)).balance)
}

describe('the most that a tip may be', () => {
  it('is what every range can pay where the price leaves it, whatever its width', () => {
    const cases = fc.record({
      ratio: fc.constantFrom(100, 300, 500, 1000, 2500),
      price: fc.bigInt({ min: WAD, max: 200_000n * WAD }),
      wider: fc.tuple(fc.integer({ min: 0, max: 12_000 }), fc.integer({ min: 0, max: 12_000 })),
    })
    fc.assert(
      fc.property(cases, ({ ratio, price, wider }) => {
        const setting = settingAt(ratio)
        const sqrtPX96 = priceToSqrt(price)
        const tick = sqrtToTick(sqrtPX96)
        const [below, above] = wider.map((more) => Math.min(MOST_TICK_DELTA, minTickDelta(setting) + more)) as [
          number,
          number,
        ]
        const left = leftBeyondEdges(setting, sqrtPX96, { tickLower: tick - below, tickUpper: tick + above })
        const most = mostTip({ minMarginAmount: LEAST_MARGIN, initialMarginRatio: ratio })
        for (const worth of left) expect(worth + DUST).toBeGreaterThanOrEqual(most)
      }),
      { numRuns: 300 },
    )
  })

  it.each([
    [1000, 0.375, 0.222],
    [500, 0.187, 0.117],
    [300, 0.112, 0.072],
  ])('at a ratio of %i, the least range has %d of the least margin, and can pay %d of it', (ratio, margin, tip) => {
    const setting = settingAt(ratio)
    const delta = minTickDelta(setting)
    const { balance } = leastRange(setting, priceToSqrt(tickToPrice(80_000)), {
      tickLower: 80_000 - delta,
      tickUpper: 80_000 + delta,
    })
    const part = (wad: bigint) => Number((wad * 1_000_000n) / LEAST_MARGIN) / 1_000_000
    expect(part(balance)).toBeCloseTo(margin, 3)
    expect(part(mostTip({ minMarginAmount: LEAST_MARGIN, initialMarginRatio: ratio }))).toBeCloseTo(tip, 3)
  })
})
