import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { pointerLabel, tickLabel } from './time.ts'

const DAY_SEC = 86_400
const NEW_YORK = 'America/New_York'
/** The first second of 1 January 2026 there. */
const NEW_YORKS = Date.parse('2026-01-01T05:00:00Z') / 1000
const UTCS = Date.parse('2026-01-01T00:00:00Z') / 1000
const [YEAR, MONTH, DAY, TIME] = [0, 1, 2, 3] as const

const firstOfJanuary = (options: Intl.DateTimeFormatOptions) =>
  new Date(UTCS * 1000).toLocaleString(undefined, { timeZone: 'UTC', ...options })

const READERS = ['America/Los_Angeles', NEW_YORK, 'Europe/Berlin', 'Asia/Tokyo', 'Pacific/Kiritimati']
const MARKETS = [
  [NEW_YORK, NEW_YORKS],
  ['UTC', UTCS],
] as const

describe.each(READERS)('to a reader in %s', (reader) => {
  beforeEach(() => {
    vi.stubEnv('TZ', reader)
  })
  afterEach(() => {
    vi.unstubAllEnvs()
  })

  it.each(MARKETS)('a day that begins at midnight of %s has its own date', (dayZone, sec) => {
    for (const barSec of [DAY_SEC, 7 * DAY_SEC]) {
      const times = { barSec, dayZone }
      expect(pointerLabel(sec, times)).toBe(firstOfJanuary({ dateStyle: 'medium' }))
      expect(tickLabel(sec, YEAR, times)).toBe(firstOfJanuary({ year: 'numeric' }))
      expect(tickLabel(sec, MONTH, times)).toBe(firstOfJanuary({ month: 'short' }))
      expect(tickLabel(sec, DAY, times)).toBe(firstOfJanuary({ day: 'numeric', month: 'short' }))
    }
  })

  it('an hour is told by the own clock', () => {
    const times = { barSec: 3600, dayZone: NEW_YORK }
    const own = (options: Intl.DateTimeFormatOptions) =>
      new Date(NEW_YORKS * 1000).toLocaleString(undefined, { timeZone: reader, ...options })
    expect(tickLabel(NEW_YORKS, TIME, times)).toBe(own({ hour: '2-digit', minute: '2-digit' }))
    expect(pointerLabel(NEW_YORKS, times)).toBe(own({ dateStyle: 'medium', timeStyle: 'short' }))
  })
})
