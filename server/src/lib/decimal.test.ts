import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatUnits, INT96_MAX, jsonNumber, parseAmount } from './decimal.ts'

const rule = { field: 'tokenAmount', decimals: 6, max: INT96_MAX }

describe('parseAmount', () => {
  it('reads strings and safe integers exactly', () => {
    expect(parseAmount('10.5', rule)).toBe(10_500_000n)
    expect(parseAmount('0.000001', rule)).toBe(1n)
    expect(parseAmount(7, rule)).toBe(7_000_000n)
    expect(parseAmount('007', rule)).toBe(7_000_000n)
  })

  it.each([
    ['0', 'greater than zero'],
    ['0.000', 'greater than zero'],
    ['-1', 'negative'],
    ['1e3', 'exponent'],
    ['1.5E-2', 'exponent'],
    ['1.0000000', 'at most 6 decimals'],
    ['99999999999999999999999999', 'at most 39614081257132168796771'],
    ['1,000', 'plain decimal'],
    ['', 'plain decimal'],
    ['.5', 'plain decimal'],
    ['5.', 'plain decimal'],
    ['0x10', 'plain decimal'],
    [' 1', 'plain decimal'],
    ['NaN', 'plain decimal'],
    ['Infinity', 'plain decimal'],
    ['٣', 'plain decimal'],
    ['9'.repeat(101), 'characters long'],
  ])('refuses %j', (text, problem) => {
    expect(() => parseAmount(text, rule)).toThrow(problem)
  })

  it('round-trips every raw integer', () => {
    const raws = fc.bigInt({ min: 1n, max: INT96_MAX })
    fc.assert(
      fc.property(raws, fc.integer({ min: 0, max: 30 }), (raw, decimals) => {
        expect(parseAmount(formatUnits(raw, decimals), { ...rule, decimals })).toBe(raw)
      }),
    )
  })
})

describe('jsonNumber', () => {
  it('prints digits that a float would lose', () => {
    expect(JSON.stringify({ amount: jsonNumber(12_345_678_901_234_567_890_123n, 18) })).toBe(
      '{"amount":12345.678901234567890123}',
    )
    expect(JSON.stringify(jsonNumber(-15n, 1))).toBe('-1.5')
  })
})
