import { describe, expect, it } from 'vitest'
import { bpsOf, fromWad, isZero, magnitude, shareOf, sumOf, toWad, valueAt } from './units.ts'

describe('amounts of the API', () => {
  it('become decimal text without losing a digit', () => {
    expect(fromWad('1500000000000000000')).toBe('1.5')
    expect(fromWad('-1')).toBe('-0.000000000000000001')
    expect(fromWad('123456789012345678901234567890')).toBe('123456789012.34567890123456789')
    expect(fromWad(null)).toBeNull()
    expect(toWad('0.1')).toBe('100000000000000000')
  })

  it('are added, valued, shared and compared as whole numbers', () => {
    expect(sumOf('3', '-5')).toBe('-2')
    expect(valueAt('2000000000000000000', '88792700000000000000000')).toBe('177585400000000000000000')
    expect(shareOf('1', '4')).toBe('250000000000000000')
    expect(shareOf('1', '0')).toBeNull()
    expect(magnitude('-7')).toBe('7')
    expect([isZero('0'), isZero(null), isZero('-1')]).toEqual([true, true, false])
  })
})

describe('slippage in per cent', () => {
  it.each([
    ['0.5', 50],
    ['0', 0],
    ['50', 5000],
    ['1.25', 125],
  ])('%s is %i basis points', (text, bps) => {
    expect(bpsOf(text)).toBe(bps)
  })

  it.each(['', '51', '-1', '0.555', '1e1', 'x'])('%j is none', (text) => {
    expect(bpsOf(text)).toBeNull()
  })
})
