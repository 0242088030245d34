import { inTransaction, type Sql } from '../db/pool.ts'
import { rebuildWeeks, refreshLastClose, upsertDailyBars } from './bar-store.ts'
import { type CandleQuery, candlesJson } from './candles.ts'
import { alwaysOpen, type MarketHours } from './hours.ts'
import { DAILY_BARS, ensurePartitions, mondayMs, WEEKLY_BARS } from './partitions.ts'
import type { DailyBar } from './replay.ts'

/** A bar as the wire has it, every number as its literal. */
export interface WireBar {
  readonly open: string
  readonly high: string
  readonly low: string
  readonly close: string
  readonly volume: string
  readonly timestamp: number
}

export interface Ask extends Partial<CandleQuery> {
  readonly hours?: MarketHours
  readonly nowMs?: number
}

/** Asks for AAPL's bars up to the end of 2030, raw unless told otherwise. */
export async function candles(sql: Sql, { hours = alwaysOpen, nowMs, ...ask }: Ask): Promise<readonly WireBar[]> {
  const endSec = Date.UTC(2030, 11, 31) / 1000
  const query = {
    symbol: 'AAPL',
    interval: '1m',
    adjustment: 'raw',
    startSec: null,
    endSec,
    limit: 5000,
    ...ask,
  } as const
  const text = await candlesJson(sql, hours, nowMs ?? endSec * 1000, query)
  const literals = text.replaceAll(/:(-?[\d.]+)/g, (_, literal) => `:"${literal}"`)
  return (JSON.parse(literals) as (Omit<WireBar, 'timestamp'> & { timestamp: string })[]).map((bar) => ({
    ...bar,
    timestamp: Number(bar.timestamp),
  }))
}

/** Stores recorded days of AAPL as the market does at its start. */
export async function record(sql: Sql, bars: readonly DailyBar[]): Promise<void> {
  const days = bars.map(({ date }) => Date.parse(date))
  await ensurePartitions(sql, DAILY_BARS, days)
  await ensurePartitions(sql, WEEKLY_BARS, days.map(mondayMs))
  await inTransaction(sql, async (tx) => {
    await upsertDailyBars(tx, 'AAPL', bars)
    await refreshLastClose(tx, 'AAPL')
    await rebuildWeeks(tx, 'AAPL')
  })
}

const USD8 = 100_000_000n

/** A recorded day whose prices are whole dollars: it opens and closes at `close`. */
export const dayBar = (date: string, close: number, volume: number | null = 100): DailyBar => ({
  date,
  open8: BigInt(close) * USD8,
  high8: BigInt(close + 2) * USD8,
  low8: BigInt(close - 2) * USD8,
  close8: BigInt(close) * USD8,
  volumeWad: volume === null ? null : BigInt(volume) * 10n ** 18n,
})
