import * as sdk from '@synfutures/perpv3-ts/math'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  alignDown,
  alignUp,
  MAX_SQRT,
  MAX_TICK,
  MIN_SQRT,
  MIN_TICK,
  priceToSqrt,
  priceToTick,
  sqrtToPrice,
  sqrtToTick,
  squareRoot,
  tickToPrice,
  tickToSqrt,
} from './tick.ts'
import { WAD } from './wad.ts'

const ticks = fc.integer({ min: MIN_TICK, max: MAX_TICK })
const roots = fc.bigInt({ min: MIN_SQRT, max: MAX_SQRT - 1n })
const prices = fc.bigInt({ min: 10n ** 6n, max: 10n ** 36n })

describe('vectors of perp-protocol 3.1', () => {
  test.each([
    [-322_517, 7867958450021363558555n, 9862n],
    [-1, 79224201403219477170569942574n, 999900009999000100n],
    [0, 79228162514264337593543950336n, 1000000000000000001n],
    [1, 79232123823359799118286999568n, 1000100000000000001n],
    [80_000, 4324846105752122384442905378221n, 2979765921746221306477n],
    [443_636, 340275971719517849884101479065584693834n, 18446050711097703529776342895654370895n],
  ])('tick %i', (tick, sqrtPX96, priceWad) => {
    expect(tickToSqrt(tick)).toBe(sqrtPX96)
    expect(tickToPrice(tick)).toBe(priceWad)
  })

  test('price to square root and to tick', () => {
    expect(priceToSqrt(3000n * WAD)).toBe(4339505179874779489431521786241n)
    expect(priceToTick(3000n * WAD)).toBe(80_067)
    expect(priceToTick((11n * WAD) / 10n)).toBe(953)
    expect(priceToTick((103n * WAD) / 100n)).toBe(295)
    expect(priceToTick(5n * WAD)).toBe(16_095)
  })

  test('bounds', () => {
    expect([tickToSqrt(MIN_TICK), tickToSqrt(MAX_TICK)]).toEqual([MIN_SQRT, MAX_SQRT])
    expect(() => tickToSqrt(MIN_TICK - 1)).toThrow('TickOutOfBound')
    expect(() => tickToSqrt(MAX_TICK + 1)).toThrow('TickOutOfBound')
    expect(() => sqrtToTick(MIN_SQRT - 1n)).toThrow('SqrtPX96OutOfBound')
    expect(() => sqrtToTick(MAX_SQRT)).toThrow('SqrtPX96OutOfBound')
  })
})

describe('properties', () => {
  test('tick, price, tick is a round trip from the first tick whose price tells it apart', () => {
    fc.assert(fc.property(ticks, (tick) => tick === MAX_TICK || sqrtToTick(tickToSqrt(tick)) === tick))
    fc.assert(
      fc.property(fc.integer({ min: -200_000, max: MAX_TICK - 1 }), (tick) => priceToTick(tickToPrice(tick)) === tick),
    )
    expect(priceToTick(tickToPrice(80_000))).toBe(80_000)
  })

  test('a square-root price lies between its tick and the next', () => {
    fc.assert(
      fc.property(roots, (root) => {
        const tick = sqrtToTick(root)
        return tickToSqrt(tick) <= root && root < tickToSqrt(tick + 1)
      }),
    )
    expect(sqrtToTick(tickToSqrt(7) - 1n)).toBe(6)
  })

  test('the integer square root is exact', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 320n }), (x) => {
        const root = squareRoot(x)
        return root * root <= x && x < (root + 1n) * (root + 1n)
      }),
    )
    expect(squareRoot(15n)).toBe(3n)
  })

  test('alignment goes towards minus and plus infinity', () => {
    expect([alignDown(-51, 50), alignUp(-51, 50)]).toEqual([-100, -50])
    expect([alignDown(51, 50), alignUp(51, 50)]).toEqual([50, 100])
    expect([alignDown(-1, 50), alignUp(-1, 50)]).toEqual([-50, 0])
  })
})

test('agrees with the published SDK', () => {
  fc.assert(
    fc.property(ticks, roots, prices, (tick, root, price) => {
      expect(tickToSqrt(tick)).toBe(sdk.tickToSqrtX96(tick))
      expect(tickToPrice(tick)).toBe(sdk.tickToWad(tick))
      expect(sqrtToTick(root)).toBe(sdk.sqrtX96ToTick(root))
      expect(sqrtToPrice(root)).toBe(sdk.sqrtX96ToWad(root))
      expect(priceToSqrt(price)).toBe(sdk.wadToSqrtX96(price))
      expect(priceToTick(price)).toBe(sdk.wadToTick(price))
    }),
    { numRuns: 1000 },
  )
})
