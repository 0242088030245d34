import { describe, expect, it } from 'vitest'
import {
  amountDigits,
  formatAmount,
  formatChange,
  formatCompact,
  formatCost,
  formatPercent,
  formatPercentPoints,
  formatPrice,
  formatQuantity,
  formatRate,
  formatUsd,
  formatUsdCost,
  shorten,
} from './format.ts'

describe('amounts as decimal text', () => {
  it('keeps every digit of what no float can hold', () => {
    expect(formatQuantity('123456789012345678.123456789012345678')).toBe('123,456,789,012,345,678.123456789012345678')
    expect(formatAmount('9007199254740993.01')).toBe('9,007,199,254,740,993.01')
  })

  it('never shows more than there is', () => {
    expect(formatAmount('0.999')).toBe('0.99')
    expect(formatUsd('1000.999999')).toBe('$1,000.99')
  })

  it('never shows a loss as less than it is', () => {
    expect(formatAmount('-1.999')).toBe('-2.00')
    expect(formatAmount('-0.009')).toBe('-0.01')
    expect(formatAmount('-0.5')).toBe('-0.50')
    expect(formatUsd('-1000.001')).toBe('-$1,000.01')
    expect(formatChange('-1.994')).toBe('-$2.00')
    expect(formatChange('-0.004')).toBe('-$0.01')
  })

  it('never shows a profit as more than it is', () => {
    expect(formatChange('1.996')).toBe('+$1.99')
    expect(formatChange('0.006')).toBe('$0.00')
  })

  it('never shows a cost as less than it is', () => {
    expect(formatCost('0.00001', 4)).toBe('0.0001')
    expect(formatCost('12.5', 4)).toBe('12.50')
    expect(formatCost('-0.00019', 4)).toBe('-0.0001')
    expect(formatCost(null, 4)).toBe('–')
    expect(formatUsdCost('0.0000001', 6)).toBe('$0.000001')
    expect(formatUsdCost('12.5', 6)).toBe('$12.50')
    expect(formatUsdCost(null, 6)).toBe('–')
  })

  it.each([
    ['0', 8],
    ['0.0099', 10],
    ['-0.0099', 10],
    ['1.5', 7],
    ['12345.5', 3],
    ['123456789', 2],
    ['0.000000000000000001', 18],
  ])('gives an amount of unknown worth, %s, %i digits after the point at most', (amount, digits) => {
    expect(amountDigits(amount)).toBe(digits)
  })

  it('shows a missing value as a dash, and what is no number as it is', () => {
    expect(formatAmount(null)).toBe('–')
    expect(formatUsd(undefined)).toBe('–')
    expect(formatPrice('n/a')).toBe('n/a')
  })

  it('gives prices two decimals, small ones more', () => {
    expect(formatPrice('231.5')).toBe('231.50')
    expect(formatPrice('0.012345')).toBe('0.012345')
    expect(formatPrice('98765.432')).toBe('98,765.43')
  })

  it.each(['150', '15', '2', '0.5', '0.02', '0.003', '0.0004'])(
    'tells prices apart that are a basis point from %s',
    (price) => {
      const next = (Number(price) * 1.0001).toFixed(12)
      expect(formatPrice(next)).not.toBe(formatPrice(price))
    },
  )

  it('signs changes', () => {
    expect(formatChange('12.5')).toBe('+$12.50')
    expect(formatChange('-0.5')).toBe('-$0.50')
    expect(formatPercent('0.0123')).toBe('+1.23%')
    expect(formatPercent('0')).toBe('0.00%')
    expect(formatPercentPoints('0.6974')).toBe('+0.70%')
    expect(formatPercentPoints(null)).toBe('–')
  })

  it('tells every part per million of a fee', () => {
    expect(formatRate('0.00004')).toBe('0.004%')
    expect(formatRate('0.000001')).toBe('0.0001%')
    expect(formatRate('0.00124')).toBe('0.124%')
    expect(formatRate('0.0021')).toBe('0.21%')
    expect(formatRate('0')).toBe('0.00%')
  })

  it('shortens large numbers and addresses', () => {
    expect(formatCompact('1234567')).toBe('1.23M')
    expect(shorten('0x1234567890abcdef1234567890abcdef12345678')).toBe('0x1234…5678')
  })
})
