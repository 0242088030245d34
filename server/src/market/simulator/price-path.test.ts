import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WAD } from '../../lib/wad.ts'
import { embeddedInstruments, type Instrument } from '../instruments.ts'
import { expWad, integerSquareRoot } from './fixed-point.ts'
import { PricePath } from './price-path.ts'

const START_MS = Date.UTC(2026, 0, 5, 15, 0, 0)
const instrument = (symbol: string): Instrument => {
  const found = embeddedInstruments.find((candidate) => candidate.symbol === symbol)
  if (!found) throw new Error(`no instrument ${symbol}`)
  return found
}
const pathOf = (symbol: string, seed = 'seed-1', price8 = 23_000_000_000n) =>
  new PricePath(instrument(symbol), { seed, price8, timeMs: START_MS })

describe('PricePath', () => {
  it('starts exactly at its starting price, also at one with six decimals', () => {
    expect(pathOf('AAPL').quoteAt(0n)).toEqual({
      price8: 23_000_000_000n,
      bid8: 22_998_000_000n,
      ask8: 23_002_000_000n,
      volumeWad: 0n,
    })
    expect(pathOf('SPX', 'seed-1', 287_456_005_900n).quoteAt(0n).price8).toBe(287_456_005_900n)
  })

  it('is the same in another process, and for another instance that asks in another order', () => {
    const steps = [0n, 1n, 59n, 60n, 86_400n, 31_536_000n, 2n ** 30n]
    const file = join(import.meta.dirname, 'price-path.ts')
    const script = `
      const { PricePath } = await import(${JSON.stringify(file)})
      const { embeddedInstruments } = await import(${JSON.stringify(join(import.meta.dirname, '../instruments.ts'))})
      const aapl = embeddedInstruments.find((candidate) => candidate.symbol === 'AAPL')
      const path = new PricePath(aapl, { seed: 'seed-1', price8: 23000000000n, timeMs: ${START_MS} })
      const quotes = [${steps.map((step) => `${step}n`).join(',')}].reverse().map((step) => path.quoteAt(step)).reverse()
      console.log(JSON.stringify(quotes, (_, value) => (typeof value === 'bigint' ? String(value) : value)))`
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
    const here = steps.map((step) => pathOf('AAPL').quoteAt(step))
    expect(JSON.parse(printed)).toEqual(
      JSON.parse(JSON.stringify(here, (_, value) => (typeof value === 'bigint' ? String(value) : value))),
    )
  })

  it('differs by seed and by symbol', () => {
    const walk = (path: PricePath) => Array.from({ length: 50 }, (_, i) => path.quoteAt(BigInt(i * 60)).price8).join()
    const walks = [walk(pathOf('AAPL')), walk(pathOf('AAPL', 'seed-2')), walk(pathOf('MSFT')), walk(pathOf('TSLA'))]
    expect(new Set(walks).size).toBe(4)
  })

  it('quotes positive prices on the tick with bid ≤ price ≤ ask, at any step of any seed', () => {
    const anyStep = fc.oneof(fc.bigInt({ min: 0n, max: 10_000n }), fc.bigInt({ min: -(2n ** 20n), max: 2n ** 34n }))
    fc.assert(
      fc.property(fc.constantFrom(...embeddedInstruments), fc.string(), anyStep, (any, seed, step) => {
        const path = new PricePath(any, { seed, price8: any.startingPrice8 ?? 287_456_005_900n, timeMs: START_MS })
        const quote = path.quoteAt(step)
        expect(quote.bid8).toBeGreaterThan(0n)
        expect(quote.bid8).toBeLessThan(quote.price8)
        expect(quote.ask8).toBeGreaterThan(quote.price8)
        expect([quote.price8 % any.tick8, quote.bid8 % any.tick8, quote.ask8 % any.tick8]).toEqual([0n, 0n, 0n])
        expect(quote.price8).toBeLessThan(1000n * (any.startingPrice8 ?? 287_456_005_900n))
      }),
      { numRuns: 300 },
    )
  })

  it('counts volume in whole shares that never run back', () => {
    const anyStep = fc.bigInt({ min: -100n, max: 2n ** 32n })
    fc.assert(
      fc.property(anyStep, fc.bigInt({ min: 1n, max: 200n }), (step, later) => {
        const path = pathOf('AAPL')
        const [before, after] = [path.quoteAt(step).volumeWad, path.quoteAt(step + later).volumeWad]
        expect(after).toBeGreaterThanOrEqual(before)
        expect(before % WAD).toBe(0n)
      }),
      { numRuns: 200 },
    )
    const day = pathOf('AAPL').quoteAt(86_400n).volumeWad / WAD
    expect(day).toBeGreaterThan(54_900_000n)
    expect(day).toBeLessThan(55_100_000n)
  })

  it('moves about as much in an hour as its volatility says', () => {
    const path = pathOf('AAPL')
    const hours = Array.from({ length: 400 }, (_, i) => Number(path.quoteAt(BigInt(i * 3600)).price8))
    const returns = hours.slice(1).map((price, i) => Math.log(price / (hours[i] as number)))
    const deviation = Math.sqrt(returns.reduce((sum, value) => sum + value * value, 0) / returns.length)
    const expected = 0.28 / Math.sqrt(365 * 24)
    expect(deviation / expected).toBeGreaterThan(0.6)
    expect(deviation / expected).toBeLessThan(1.6)
  })

  it('maps instants to steps and back, also before the start', () => {
    const path = pathOf('AAPL')
    expect([path.stepAt(START_MS), path.stepAt(START_MS + 1999), path.stepAt(START_MS - 1)]).toEqual([0n, 1n, -1n])
    expect(path.timeOf(2n)).toBe(START_MS + 2000)
  })
})

describe('fixed point', () => {
  it('takes exact integer square roots', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 200n }), (value) => {
        const root = integerSquareRoot(value)
        expect(root * root).toBeLessThanOrEqual(value)
        expect((root + 1n) * (root + 1n)).toBeGreaterThan(value)
      }),
    )
  })

  it('knows e to 18 decimals and inverts itself', () => {
    expect(expWad(0n)).toBe(WAD)
    expect(expWad(WAD)).toBe(2_718_281_828_459_045_235n)
    expect(expWad(-WAD)).toBe(367_879_441_171_442_321n)
    fc.assert(
      fc.property(fc.bigInt({ min: -3n * WAD, max: 3n * WAD }), (exponent) => {
        const product = expWad(exponent) * expWad(-exponent)
        expect(product).toBeLessThanOrEqual(WAD * WAD)
        expect(product).toBeGreaterThan(WAD * (WAD - 25n))
      }),
    )
  })
})
