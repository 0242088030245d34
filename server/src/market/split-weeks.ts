import type { Db } from '../db/pool.ts'
import { max, min } from '../lib/bigints.ts'
import { type Adjuster, barJson, price8, priceText, volumeText, volumeWad } from './adjuster.ts'
import { addDays, newYorkInstant, newYorkTime, weekday } from './calendar/new-york.ts'
import { type BarFields, daysOfWeeks, FIELDS } from './candle-store.ts'

interface Bar {
  readonly open8: bigint
  readonly high8: bigint
  readonly low8: bigint
  readonly close8: bigint
  readonly volumeWad: bigint | null
}

/**
 * Weeks in the middle of which something happened to the shares cannot be adjusted whole: they are built from their
 * adjusted days. `weeks` are bars of weeks, newest first. Resolves to those weeks' JSON by the second they begin.
 */
export async function splitWeeks(
  db: Db,
  symbol: string,
  weeks: BarFields,
  adjusters: readonly Adjuster[],
): Promise<ReadonlyMap<string, string>> {
  const [newestSec, oldestSec] = [Number(weeks[0]), Number(weeks[weeks.length - FIELDS])]
  const mondays = adjusters
    .filter(({ beforeSec }) => Number.isFinite(beforeSec))
    .map(({ beforeSec }) => mondayOf(newYorkTime(beforeSec * 1000).date))
    .filter((monday) => secondOf(monday) >= oldestSec && secondOf(monday) <= newestSec)
  if (mondays.length === 0) return new Map()
  const days = await daysOfWeeks(db, symbol, [...new Set(mondays)])
  const built = new Map<string, Bar>()
  for (let i = 0; i < days.length; i += FIELDS) {
    const timeSec = Number(days[i])
    const monday = String(secondOf(mondayOf(newYorkTime(timeSec * 1000).date)))
    const by = adjusters.findLast(({ beforeSec }) => timeSec < beforeSec)
    built.set(monday, joined(built.get(monday), readDay(days.slice(i + 1, i + FIELDS), by)))
  }
  return new Map([...built].map(([monday, bar]) => [monday, weekJson(monday, bar)]))
}

const mondayOf = (date: string): string => addDays(date, -((weekday(date) + 6) % 7))
const secondOf = (date: string): number => newYorkInstant(date, 0) / 1000

function readDay(fields: BarFields, by: Adjuster | undefined): Bar {
  const [open = '', high = '', low = '', close = '', volume = 'null'] = fields
  const price = (text: string) => price8(by?.price(text) ?? text)
  const shares = by?.volume(volume) ?? volume
  return {
    open8: price(open),
    high8: price(high),
    low8: price(low),
    close8: price(close),
    volumeWad: shares === 'null' ? null : volumeWad(shares),
  }
}

function joined(before: Bar | undefined, day: Bar): Bar {
  if (!before) return day
  return {
    open8: before.open8,
    high8: max(before.high8, day.high8),
    low8: min(before.low8, day.low8),
    close8: day.close8,
    volumeWad: before.volumeWad === null || day.volumeWad === null ? null : before.volumeWad + day.volumeWad,
  }
}

const weekJson = (time: string, { open8, high8, low8, close8, ...bar }: Bar): string => {
  const [open = '', high = '', low = '', close = ''] = [open8, high8, low8, close8].map(priceText)
  return barJson(undefined, time, open, high, low, close, bar.volumeWad === null ? 'null' : volumeText(bar.volumeWad))
}
