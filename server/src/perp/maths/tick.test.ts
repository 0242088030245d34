import { describe, expect, it } from 'vitest'
import { alignDown, MAX_TICK, MIN_TICK, priceToTick, sqrtToPrice, tickToPrice, tickToSqrt } from './tick.ts'

describe('ticks and prices', () => {
  // Vectors of perp-protocol 3.1.
  it.each([
    [MIN_TICK, 7_867_958_450_021_363_558_555n, 9862n],
    [-1, 79_224_201_403_219_477_170_569_942_574n, 999_900_009_999_000_100n],
    [0, 79_228_162_514_264_337_593_543_950_336n, 1_000_000_000_000_000_001n],
    [1, 79_232_123_823_359_799_118_286_999_568n, 1_000_100_000_000_000_001n],
    [80_000, 4_324_846_105_752_122_384_442_905_378_221n, 2_979_765_921_746_221_306_477n],
    [
      MAX_TICK,
      340_275_971_719_517_849_884_101_479_065_584_693_834n,
      18_446_050_711_097_703_529_776_342_895_654_370_895n,
    ],
  ])('are the published ones at tick %s', (tick, sqrt, price) => {
    expect(tickToSqrt(tick)).toBe(sqrt)
    expect(sqrtToPrice(sqrt)).toBe(price)
    expect(tickToPrice(tick)).toBe(price)
    expect(priceToTick(price)).toBe(tick)
  })

  it('find the tick at or below a price', () => {
    expect(priceToTick(3000n * 10n ** 18n)).toBe(80_067)
    expect(priceToTick(11n * 10n ** 17n)).toBe(953)
    expect(priceToTick(tickToPrice(100) - 1n)).toBe(99)
    expect(priceToTick(1n)).toBe(MIN_TICK)
  })

  it('refuse a tick that is none of the curve', () => {
    expect(() => tickToSqrt(MAX_TICK + 1)).toThrow(RangeError)
    expect(() => tickToSqrt(Number.NaN)).toThrow(RangeError)
  })

  it('align towards the lower tick', () => {
    expect([alignDown(19, 10), alignDown(20, 10), alignDown(-1, 10), alignDown(-10, 10)]).toEqual([10, 20, -10, -10])
  })
})
