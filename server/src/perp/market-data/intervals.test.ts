import { describe, expect, it } from 'vitest'
import { INTERVALS, startAfter, startOf } from './intervals.ts'

const utc = (text: string): number => Date.parse(`${text}Z`) / 1000

describe('candles', () => {
  it.each([
    ['1m', '2026-03-04T05:06:00'],
    ['5m', '2026-03-04T05:05:00'],
    ['15m', '2026-03-04T05:00:00'],
    ['30m', '2026-03-04T05:00:00'],
    ['1h', '2026-03-04T05:00:00'],
    ['4h', '2026-03-04T04:00:00'],
    ['8h', '2026-03-04T00:00:00'],
    ['12h', '2026-03-04T00:00:00'],
    ['1d', '2026-03-04T00:00:00'],
    ['1w', '2026-03-02T00:00:00'],
    ['1M', '2026-03-01T00:00:00'],
  ] as const)('of %s begin in UTC at %s', (interval, start) => {
    expect(startOf(interval, utc('2026-03-04T05:06:59'))).toBe(utc(start))
    expect(startOf(interval, utc(start))).toBe(utc(start))
    expect(startOf(interval, utc(start) - 1)).toBe(startAfter(interval, utc(start), -1))
  })

  it('of a week begin on Monday, also on a Sunday and before the epoch', () => {
    expect(startOf('1w', utc('2026-03-08T23:59:59'))).toBe(utc('2026-03-02T00:00:00'))
    expect(startOf('1w', utc('2026-03-09T00:00:00'))).toBe(utc('2026-03-09T00:00:00'))
    expect(startOf('1w', 0)).toBe(utc('1969-12-29T00:00:00'))
  })

  it('of a month are as long as the month', () => {
    expect(startAfter('1M', utc('2024-02-01T00:00:00'), 1)).toBe(utc('2024-03-01T00:00:00'))
    expect(startAfter('1M', utc('2025-12-01T00:00:00'), 2)).toBe(utc('2026-02-01T00:00:00'))
    expect(startAfter('1M', utc('2026-01-01T00:00:00'), -13)).toBe(utc('2024-12-01T00:00:00'))
  })

  it('have eleven intervals', () => expect(INTERVALS).toHaveLength(11))
})
