import { describe, expect, it } from 'vitest'
import { alwaysOpen } from './hours.ts'

describe('an always open market', () => {
  it.each([
    ['2026-01-15T04:59:59.999Z', '2026-01-14'],
    ['2026-01-15T05:00:00.000Z', '2026-01-15'],
    ['2026-07-15T03:59:59.999Z', '2026-07-14'],
    ['2026-07-15T04:00:00.000Z', '2026-07-15'],
    // The day summer time begins has 23 hours, the day it ends 25.
    ['2026-03-08T04:59:59.999Z', '2026-03-07'],
    ['2026-03-09T03:59:59.999Z', '2026-03-08'],
    ['2026-03-09T04:00:00.000Z', '2026-03-09'],
    ['2026-11-01T04:00:00.000Z', '2026-11-01'],
    ['2026-11-02T04:59:59.999Z', '2026-11-01'],
    ['2027-01-01T04:59:59.999Z', '2026-12-31'],
  ])('at %s is in its regular session of %s', (time, date) => {
    const timeMs = Date.parse(time)
    expect([alwaysOpen.session(timeMs), alwaysOpen.tradeDate(timeMs)]).toEqual([2, date])
    expect([alwaysOpen.lastOpen(timeMs), alwaysOpen.nextRegular(timeMs)]).toEqual([timeMs, timeMs])
  })

  it.each([
    ['2026-03-08', '2026-03-08T05:00:00.000Z', '2026-03-09T04:00:00.000Z'],
    ['2026-11-01', '2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z'],
    ['2026-12-31', '2026-12-31T05:00:00.000Z', '2027-01-01T05:00:00.000Z'],
  ])('begins its trade date %s at %s and ends DAY orders at the next midnight', (date, start, end) => {
    const startMs = alwaysOpen.tradeDateStart(date)
    expect(new Date(startMs).toISOString()).toBe(start)
    expect(new Date(alwaysOpen.dayOrderExpiry(startMs)).toISOString()).toBe(end)
    expect(new Date(alwaysOpen.dayOrderExpiry(Date.parse(end) - 1)).toISOString()).toBe(end)
  })
})
