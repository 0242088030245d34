import { describe, expect, it } from 'vitest'
import { add, compare, floorTo, isAmount, isPositive, multiply, ratio, subtract, toUnits } from './decimal.ts'

describe('decimal text', () => {
  it('is added, subtracted and multiplied exactly', () => {
    expect(add('0.1', '0.2')).toBe('0.3')
    expect(subtract('1', '0.000000000000000001')).toBe('0.999999999999999999')
    expect(multiply('1.1', '1.1')).toBe('1.21')
    expect(ratio('1', '4')).toBe('0.25')
    expect(ratio('1', '0')).toBeNull()
  })

  it('is compared as a number', () => {
    expect(compare('10', '9.99')).toBe(1)
    expect(compare('1.0', '1')).toBe(0)
    expect(compare('0.1', '0.11')).toBe(-1)
  })

  it.each(['1', '1.5', '.5', '0.000000000000000001'])('takes %s as an amount', (text) => {
    expect(isAmount(text)).toBe(true)
  })

  it.each(['', '1e5', '-1', '1,000', '1.', '1.2.3', '0.0000000000000000001', ' 1'])('refuses %j', (text) => {
    expect(isAmount(text)).toBe(false)
  })

  it('knows what is more than nothing', () => {
    expect(isPositive('0.0')).toBe(false)
    expect(isPositive('0.01')).toBe(true)
  })

  it('gives a token its units and refuses what would be rounded', () => {
    expect(toUnits('12.5', 6)).toBe(12_500_000n)
    expect(toUnits('1.1000000', 6)).toBe(1_100_000n)
    expect(() => toUnits('0.0000001', 6)).toThrow('at most 6 decimals')
    expect(() => toUnits('one', 6)).toThrow('no amount')
  })

  it('cuts down to a step', () => {
    expect(floorTo('1.239', '0.01')).toBe('1.23')
  })
})
