import type { Db } from '../db/pool.ts'

/**
 * Bars, newest first, as a flat list of six texts each: Unix second, open, high, low, close, volume (decimals of USD and
 * shares; a volume that was not recorded is `null`).
 */
export type BarFields = readonly string[]
export const FIELDS = 6

/** The newest bars, at most `limit`, that begin at or after `fromSec` (null: any) and at or before `toSec`, Unix seconds. */
export interface BarRange {
  readonly symbol: string
  readonly fromSec: number | null
  readonly toSec: number
  readonly limit: number
}

type TextRow = { readonly bars: string | null }
const fieldsOf = ([row]: readonly TextRow[]): BarFields => row?.bars?.split(',') ?? []

/** Bars of a minute, or of one of the intervals of market_candles. */
export async function intradayBars(db: Db, intervalSec: number, range: BarRange): Promise<BarFields> {
  const from = range.fromSec === null ? db`` : db`and start_time >= to_timestamp(${range.fromSec})`
  const source =
    intervalSec === 60 ? db`market_minute_bars where` : db`market_candles where interval_sec = ${intervalSec} and`
  return fieldsOf(
    await db<TextRow[]>`
    select string_agg(bar_text, ',') as bars from (
      select bar_text from ${source} symbol = ${range.symbol}
        and start_time <= to_timestamp(${range.toSec}) ${from}
      order by start_time desc limit ${range.limit}) bar`,
  )
}

/** Bars of trade dates, or of weeks of trade dates; each begins at midnight New York of its date, or of its Monday. */
export async function dateBars(db: Db, unit: 'day' | 'week', range: BarRange): Promise<BarFields> {
  const [table, date] =
    unit === 'day' ? [db`market_daily_bars`, db`trade_date`] : [db`market_weekly_bars`, db`week_start`]
  // The first midnight at or after an instant is that of the day after the instant's last predecessor.
  const before = range.fromSec === null ? null : range.fromSec - 1
  const from = before === null ? db`` : db`and ${date} > ${newYorkDate(db, before)}`
  return fieldsOf(
    await db<TextRow[]>`
    select string_agg(bar_text, ',') as bars from (
      select bar_text from ${table} where symbol = ${range.symbol}
        and ${date} <= ${newYorkDate(db, range.toSec)} ${from}
      order by ${date} desc limit ${range.limit}) bar`,
  )
}

const newYorkDate = (db: Db, timeSec: number) => db`(to_timestamp(${timeSec}) at time zone 'America/New_York')::date`

/** Days of some weeks, oldest first: six texts each, as above. `mondays` are `YYYY-MM-DD`. */
export async function daysOfWeeks(db: Db, symbol: string, mondays: readonly string[]): Promise<BarFields> {
  return fieldsOf(
    await db<TextRow[]>`
    select string_agg(bar_text, ',' order by trade_date) as bars
    from unnest(${[...mondays]}::text[]::date[]) as monday
    join market_daily_bars on symbol = ${symbol} and trade_date between monday and monday + 6`,
  )
}
