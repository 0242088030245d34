import type { Db } from '../db/pool.ts'
import { Adjuster, barJson } from './adjuster.ts'
import { type Adjustment, adjustmentFactors, type Factors, factorsOfUnit, type UnitStep } from './adjustment.ts'
import { newYorkInstant } from './calendar/new-york.ts'
import { type BarFields, type BarRange, dateBars, FIELDS, intradayBars } from './candle-store.ts'
import { pricedActions } from './corporate-action-store.ts'
import type { MarketHours } from './hours.ts'
import { splitWeeks } from './split-weeks.ts'

const DAY_SEC = 86_400
const SECONDS = { '1m': 60, '3m': 180, '5m': 300, '15m': 900, '1h': 3600, '1d': DAY_SEC, '1w': 7 * DAY_SEC } as const
export type Interval = keyof typeof SECONDS
export const INTERVALS = Object.keys(SECONDS) as readonly Interval[]

/** The first stretch searched, as a multiple of the time the bars would fill in a market that never rests. */
const REST = 2

export interface CandleQuery {
  readonly symbol: string
  readonly interval: Interval
  readonly adjustment: Adjustment
  /** First and last start of a bar, Unix seconds; from the first bar when `startSec` is null. */
  readonly startSec: number | null
  readonly endSec: number
  /** At most this many bars, the newest of the range. */
  readonly limit: number
  /** What holds the shares that are asked for, newest step first, all begun; bars are of one share without any. */
  readonly unit?: readonly UnitStep[]
}

/**
 * Bars of a symbol as JSON text: an ascending array of `{open, high, low, close, volume, timestamp}`, exact numbers of USD,
 * shares and the Unix second a bar begins (stock-api 2.1). Minutes to hours begin at whole multiples since the epoch. A day
 * is a trade date with all its sessions and begins at its midnight in New York; a week holds the trade dates of Monday to
 * Sunday. Where nothing was recorded there is no bar. Adjusted prices are exact but for one rounding to 8 decimals, half up.
 * A bar in which shares became others is recorded in those of its end.
 */
export async function candlesJson(db: Db, hours: MarketHours, nowMs: number, query: CandleQuery): Promise<string> {
  const [bars, factors] = await Promise.all([readBars(db, nowMs, query), readFactors(db, hours, nowMs, query)])
  const adjusters = factors.map((factor) => new Adjuster(factor, beginOfBar(hours, query.interval, factor.beforeMs)))
  const weeks =
    query.interval === '1w' ? await splitWeeks(db, query.symbol, bars, adjusters) : new Map<string, string>()
  return render(bars, adjusters, weeks)
}

/** Unix second at which the bar begins that an instant falls in; days stand for weeks, which are made of them. */
function beginOfBar(hours: MarketHours, interval: Interval, timeMs: number): number {
  if (!Number.isFinite(timeMs)) return timeMs
  if (interval === '1d' || interval === '1w') return newYorkInstant(hours.tradeDate(timeMs), 0) / 1000
  return Math.floor(timeMs / 1000 / SECONDS[interval]) * SECONDS[interval]
}

/**
 * The newest bars of the range. Without a start, a stretch that should hold enough of them is read first, so that the
 * database looks into few partitions, and what lies before it only when it did not.
 */
async function readBars(db: Db, nowMs: number, query: CandleQuery): Promise<BarFields> {
  const { symbol, interval, startSec, limit } = query
  const read = (range: Omit<BarRange, 'symbol'>) => {
    if (interval === '1d') return dateBars(db, 'day', { symbol, ...range })
    if (interval === '1w') return dateBars(db, 'week', { symbol, ...range })
    return intradayBars(db, SECONDS[interval], { symbol, ...range })
  }
  // No bar begins in the future, but a source's clock may be ahead.
  const toSec = Math.min(query.endSec, Math.floor(nowMs / 1000) + 60)
  if (startSec !== null) return startSec > toSec ? [] : read({ fromSec: startSec, toSec, limit })
  const fromSec = toSec - limit * REST * SECONDS[interval]
  const near = await read({ fromSec, toSec, limit })
  const missing = limit - near.length / FIELDS
  return missing > 0 ? [...near, ...(await read({ fromSec: null, toSec: fromSec - 1, limit: missing }))] : near
}

/** The factors of what has happened by now: an action that is only announced changes nothing yet. */
async function readFactors(
  db: Db,
  hours: MarketHours,
  nowMs: number,
  { symbol, adjustment, unit = [] }: CandleQuery,
): Promise<readonly Factors[]> {
  if (adjustment === 'raw') return factorsOfUnit([], unit, adjustment)
  const actions = await pricedActions(db, symbol)
  const happened = actions.filter(({ exDate, playedMs }) => (playedMs ?? hours.tradeDateStart(exDate)) <= nowMs)
  return factorsOfUnit(adjustmentFactors(happened, adjustment, hours.tradeDateStart), unit, adjustment)
}

/** Bars, newest first, to JSON, oldest first. `adjusters` come newest first; `weeks` are ready bars by their second. */
function render(bars: BarFields, adjusters: readonly Adjuster[], weeks: ReadonlyMap<string, string>): string {
  const texts: string[] = []
  let next = adjusters.length - 1
  const at = (index: number): string => bars[index] ?? ''
  for (let i = bars.length - FIELDS; i >= 0; i -= FIELDS) {
    const time = at(i)
    while (next >= 0 && Number(time) >= (adjusters[next]?.beforeSec ?? 0)) next--
    const week = weeks.get(time)
    texts.push(week ?? barJson(adjusters[next], time, at(i + 1), at(i + 2), at(i + 3), at(i + 4), at(i + 5)))
  }
  return `[${texts.join(',')}]`
}
