/** The limit of a trade is on its average price. Source: perp-protocol 3.3. */
import { Range as SdkRange } from '@synfutures/perpv3-ts/types'
import { describe, expect, test } from 'vitest'
import { accountOf } from './instrument.ts'
import { DEFAULT_CAST } from './markets.ts'
import { quote } from './quotation.ts'
import { feeEarned, type Range, type RangeTicks, rangeKey, toPosition } from './range.ts'
import { SceneWriter, toWad } from './scene.ts'
import { crossBothEdges, tradePastARange } from './scenes-liquidity.ts'
import { MAX_TICK, tickToPrice } from './tick.ts'
import { isWithinLimit } from './trade.ts'
import { WAD, wmul } from './wad.ts'
import { apply } from './world.ts'

describe('the limit', () => {
  // Two base at the price of tick 80067, which is a little under 3000.
  const worth = wmul(tickToPrice(80_067), 2n * WAD)

  test('a long pays no more than its size is worth there, a short gets no less', () => {
    expect(isWithinLimit(2n * WAD, worth, 80_067)).toBe(true)
    expect(isWithinLimit(2n * WAD, worth + 1n, 80_067)).toBe(false)
    expect(isWithinLimit(-2n * WAD, worth, 80_067)).toBe(true)
    expect(isWithinLimit(-2n * WAD, worth - 1n, 80_067)).toBe(false)
  })

  test('beyond the ticks there are it means the last of them', () => {
    expect(isWithinLimit(WAD, tickToPrice(MAX_TICK), 8_388_607)).toBe(true)
    expect(isWithinLimit(WAD, tickToPrice(MAX_TICK) + 1n, 8_388_607)).toBe(false)
    expect(isWithinLimit(-WAD, 9862n, -8_388_608)).toBe(true)
    expect(isWithinLimit(-WAD, 9861n, -8_388_608)).toBe(false)
  })
})

test('a trade of 0.05 BTC passes the end of a range at 50 bps, where its last price is beyond the limit', () => {
  const { scene, narrow } = tradePastARange(DEFAULT_CAST)
  const actions = scene.scenario().actions
  const last = actions.at(-1)
  const { amm } = scene.pair()
  if (last?.type !== 'trade') throw new Error('the last action is no trade')
  expect(amm.tick).toBeGreaterThan(narrow.tickUpper)
  expect(amm.tick).toBeGreaterThan(last.limitTick)
})

test('a price that moved between quotation and trade is refused beyond the limit only', () => {
  const { scene } = tradePastARange(DEFAULT_CAST)
  const [, , taker, other] = DEFAULT_CAST.traders as [string, string, string, string]
  const size = -toWad(0.02)
  const quoted = scene.limitedTrade(taker, size, 0)
  if (quoted.type !== 'trade') throw new Error('no trade')
  const sentBehind = (ahead: number) => {
    const first = apply(scene.world, {
      timeSec: scene.world.nowSec,
      instrument: 0,
      ...scene.trade(other, -ahead, 3000),
    } as never)
    if (!first.ok) throw new Error(first.error)
    const second = apply(first.world, { timeSec: scene.world.nowSec, instrument: 0, ...quoted } as never)
    return second.ok ? 'passed' : second.error
  }
  expect(sentBehind(0.005)).toBe('passed')
  expect(sentBehind(0.02)).toBe('TradeSlippage')
})

test('the equity of a range is the same to the wei after trades that cross both its edges', () => {
  const { scene, narrow, maker, visitAbove, visitBelow } = crossBothEdges(DEFAULT_CAST)
  const rangeOf = () => accountOf(scene.pair(), maker).ranges.get(rangeKey(narrow)) as Range
  const equityOf = () => {
    const { amm } = scene.pair()
    const position = toPosition(rangeOf(), narrow, amm)
    expect(position).toEqual({ ...sdkRangeOf(rangeOf(), narrow).toPosition(amm as never) })
    const { balance, size, entryNotional } = position
    return { balance: balance - feeEarned(rangeOf(), amm.feeIndex), size, entryNotional, sqrtPX96: amm.sqrtPX96 }
  }
  visitBelow()
  const [below, feesBefore] = [equityOf(), scene.pair().amm.feeIndex]
  expect(scene.pair().amm.tick).toBeLessThan(narrow.tickLower)
  visitAbove()
  const above = equityOf()
  expect(scene.pair().amm.tick).toBeGreaterThan(narrow.tickUpper)
  visitBelow()
  expect(equityOf()).toEqual(below)
  visitAbove()
  expect(equityOf()).toEqual(above)
  expect(scene.pair().amm.feeIndex > feesBefore).toBe(true)
})

function sdkRangeOf(range: Range, { tickLower, tickUpper }: RangeTicks): SdkRange {
  const { liquidity, entryFeeIndex, balance, sqrtEntryPX96 } = range
  return new SdkRange(liquidity, entryFeeIndex, balance, sqrtEntryPX96, tickLower, tickUpper)
}

test('nobody adds a range at a price the market has left', () => {
  const scene = new SceneWriter(DEFAULT_CAST, 0)
  const [lp, maker] = DEFAULT_CAST.traders as [string, string]
  scene.act(scene.range(lp, 12_000, 4000))
  // The initial margin is 3 %: a mark 3.0 % above the price is near enough, one 3.2 % above is not.
  scene.act(scene.price(70_397))
  scene.act(scene.range(maker, 300, 300))
  scene.act(scene.price(70_550))
  scene.refuse('FairDeviation', scene.range(maker, 300, 400))
  scene.act(scene.price(66_300))
  scene.act(scene.range(maker, 300, 400))
  scene.act(scene.price(66_200))
  scene.refuse('FairDeviation', scene.range(maker, 300, 500))
  expect(quote(scene.context(), WAD / 100n).quotation.benchmark).toBe(66_200n * WAD)
})
