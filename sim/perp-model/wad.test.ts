import * as sdk from '@synfutures/perpv3-ts/math'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  deviation,
  frac,
  ratioToWad,
  WAD,
  wdiv,
  wdivDown,
  wdivUp,
  wmul,
  wmulDown,
  wmulInt,
  wmulTruncated,
  wmulUp,
} from './wad.ts'

const amount = fc.bigInt({ min: 0n, max: 2n ** 128n })
const divisor = fc.bigInt({ min: 1n, max: 2n ** 128n })
const signed = fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n })

test('rounds to nearest, up and down', () => {
  expect([wmul(3n, WAD / 2n), wmulUp(1n, WAD / 3n), wmulDown(5n, WAD / 2n)]).toEqual([2n, 1n, 2n])
  expect([wdiv(5n, 2n * WAD), wdivUp(1n, 3n * WAD), wdivDown(5n, 3n * WAD)]).toEqual([3n, 1n, 1n])
  expect([frac(5n, 1n, 2n), frac(4n, 1n, 3n)]).toEqual([3n, 1n])
})

test('signed products round halves away from zero', () => {
  expect([wmulInt(-3n, WAD / 2n), wmulInt(3n, WAD / 2n), wmulInt(-1n, WAD / 3n)]).toEqual([-2n, 2n, 0n])
})

test('ratios and deviations', () => {
  expect([ratioToWad(300), ratioToWad(10_000)]).toEqual([3n * 10n ** 16n, WAD])
  expect(deviation(97n * WAD, 100n * WAD)).toBe(3n * 10n ** 16n)
})

test('agrees with the published SDK', () => {
  fc.assert(
    fc.property(amount, amount, divisor, signed, signed, (x, y, z, s, t) => {
      expect(wmul(x, y)).toBe(sdk.wmul(x, y))
      expect(wmulUp(x, y)).toBe(sdk.wmulUp(x, y))
      expect(wmulDown(x, y)).toBe(sdk.wmulDown(x, y))
      expect(wdiv(x, z)).toBe(sdk.wdiv(x, z))
      expect(wdivUp(x, z)).toBe(sdk.wdivUp(x, z))
      expect(wdivDown(x, z)).toBe(sdk.wdivDown(x, z))
      expect(frac(x, y, z)).toBe(sdk.frac(x, y, z))
      expect(wmulInt(s, t)).toBe(sdk.wmulInt(s, t))
      expect(wmulTruncated(s, t)).toBe(sdk.wmul(s, t))
    }),
    { numRuns: 1000 },
  )
})
