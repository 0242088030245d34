import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../server/src/db/embedded.ts'
import { migrate } from '../server/src/db/migrate.ts'
import { createPool, type Sql } from '../server/src/db/pool.ts'
import type { Adjustment } from '../server/src/market/adjustment.ts'
import { candlesJson, type Interval } from '../server/src/market/candles.ts'
import { replaceCorporateActions } from '../server/src/market/corporate-action-store.ts'
import type { CorporateAction } from '../server/src/market/corporate-actions.ts'
import { alwaysOpen } from '../server/src/market/hours.ts'
import { embeddedInstruments } from '../server/src/market/instruments.ts'
import { CANDLES, DAILY_BARS, ensurePartitions, MINUTE_BARS } from '../server/src/market/partitions.ts'
import { upsertSymbols } from '../server/src/market/store.ts'
import {
  count,
  describeRun,
  printTable,
  readNumbers,
  roundSpread,
  type Spread,
  spreadOf,
  writeResults,
} from './report.ts'

const LIMIT = 5000
const AIM_MS = 5
const SYMBOLS = ['AAPL', 'MSFT']
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** The newest bar ends here; more bars reach further into the past. */
const END_MS = Date.UTC(2026, 0, 1)
const BATCH = 200_000
const WARM_UP = 20

interface Measured {
  /** Minute bars in the database, over all symbols. */
  readonly stored: number
  readonly interval: Interval
  readonly adjustment: Adjustment
  readonly bars: number
  readonly bytes: number
  readonly ms: Spread
}

/** `npm run bench -- candles`: 5,000 bars in one answer over growing tables, from the question to its JSON text. */
export async function benchCandles(args: readonly string[]): Promise<void> {
  const { rounds, most } = readNumbers(args, { rounds: 100, most: 10_000_000 })
  const run = describeRun()
  const folder = await mkdtemp(join(tmpdir(), 'bourse-bench-'))
  const database = await startEmbeddedPostgres({ folder, durable: true, maxConnections: 20 })
  try {
    await migrate(database.url)
    const sql = createPool({ url: database.url, maxConnections: 4, applicationName: 'bench' })
    const filler = createPool({ url: database.url, maxConnections: 1, applicationName: 'bench' })
    await filler`set statement_timeout = 0`
    const results = await measureSizes(sql, filler, most, rounds)
    await Promise.all([sql.end(), filler.end()])
    print(results)
    await writeResults('candles', { ...run, settings: { rounds, most, limit: LIMIT, aimMs: AIM_MS }, results })
  } finally {
    await database.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureSizes(sql: Sql, filler: Sql, most: number, rounds: number): Promise<readonly Measured[]> {
  await sql.begin((tx) => upsertSymbols(tx, embeddedInstruments))
  const results: Measured[] = []
  let stored = 0
  for (let size = 10_000; size <= most; size *= 10) {
    console.log(`Storing ${count(size)} bars …`)
    await grow(filler, stored / SYMBOLS.length, size / SYMBOLS.length)
    stored = size
    for (const [interval, adjustment] of QUESTIONS) {
      results.push({ stored, interval, adjustment, ...(await measure(sql, interval, adjustment, rounds)) })
    }
  }
  return results
}

const QUESTIONS: readonly (readonly [Interval, Adjustment])[] = [
  ['1m', 'raw'],
  ['1m', 'all'],
  ['5m', 'raw'],
  ['1h', 'raw'],
  ['1d', 'all'],
]

/** Adds each symbol's bars from one number of minutes before the end to another, and the longer bars they make. */
async function grow(sql: Sql, fromMinutes: number, toMinutes: number): Promise<void> {
  for (let start = fromMinutes; start < toMinutes; start += BATCH) {
    const end = Math.min(start + BATCH, toMinutes)
    const times: number[] = []
    for (let timeMs = END_MS - end * MINUTE_MS; timeMs < END_MS; timeMs += 20 * DAY_MS) times.push(timeMs)
    times.push(END_MS - 1)
    for (const table of [MINUTE_BARS, CANDLES, DAILY_BARS]) await ensurePartitions(sql, table, times)
    await insertMinutes(sql, start, end)
  }
  await sql`truncate market_candles, market_daily_bars`
  await deriveBars(sql)
  await sql.begin((tx) => replaceCorporateActions(tx, quarterlyDividends()))
  await sql.unsafe('vacuum analyze')
}

/** Prices move in cents; every fifth bar has fractional volume. */
async function insertMinutes(sql: Sql, start: number, end: number): Promise<void> {
  await sql`
    insert into market_minute_bars (symbol, start_time, open_price8, high_price8, low_price8, close_price8, volume_wad,
      volume_total_wad)
    select symbol, ${new Date(END_MS)}::timestamptz - i * interval '1 minute', p * 1000000, (p + 9) * 1000000,
      (p - 8) * 1000000, (p + i % 7) * 1000000, (1000 + i % 991) * 1000000000000000000::numeric
        + case when i % 5 = 0 then 123456789000000000 else 0 end, 0
    from generate_series(${start + 1}::integer, ${end}::integer) i
      cross join lateral (select (23000 + 1500 * sin(i / 700.0) + i % 37)::integer::numeric as p) price
      cross join unnest(${SYMBOLS}::text[]) as symbol
    order by i desc`
}

async function deriveBars(sql: Sql): Promise<void> {
  // Which of its prices a bar opens and closes at makes no difference to its reading.
  const ohlcv = sql`min(open_price8), max(high_price8), min(low_price8), max(close_price8), sum(volume_wad)`
  for (const seconds of [300, 3600]) {
    await sql`
      insert into market_candles
        (symbol, interval_sec, start_time, open_price8, high_price8, low_price8, close_price8, volume_wad)
      select symbol, ${seconds}::integer, date_bin(${seconds}::integer * interval '1 second', start_time, 'epoch') as start,
        ${ohlcv} from market_minute_bars group by symbol, start order by start`
  }
  await sql`
    insert into market_daily_bars
      (symbol, trade_date, recorded, open_price8, high_price8, low_price8, close_price8, volume_wad)
    select symbol, (start_time at time zone 'America/New_York')::date as day, false, ${ohlcv}
    from market_minute_bars group by symbol, day order by day`
}

/** Four a year for as long as the largest table goes back; the last one after the last bar, so that every bar is adjusted. */
const quarterlyDividends = (): CorporateAction[] =>
  Array.from({ length: 40 }, (_, i) => ({
    symbol: 'AAPL',
    type: 'dividend',
    exDate: new Date(END_MS + DAY_MS - i * 91 * DAY_MS).toISOString().slice(0, 10),
    recordDate: null,
    payableDate: null,
    ratioFrom8: null,
    ratioTo8: null,
    cashAmount8: 25_000_000n,
  }))

async function measure(sql: Sql, interval: Interval, adjustment: Adjustment, rounds: number) {
  const endSec = END_MS / 1000
  const query = { symbol: 'AAPL', interval, adjustment, startSec: null, endSec, limit: LIMIT }
  const ask = () => candlesJson(sql, alwaysOpen, END_MS + 3 * DAY_MS, query)
  let answer = ''
  for (let i = 0; i < WARM_UP; i++) answer = await ask()
  const times: number[] = []
  for (let i = 0; i < rounds; i++) {
    const startedMs = performance.now()
    await ask()
    times.push(performance.now() - startedMs)
  }
  return { bars: (JSON.parse(answer) as unknown[]).length, bytes: answer.length, ms: roundSpread(spreadOf(times), 2) }
}

function print(results: readonly Measured[]): void {
  console.log(`\nThe newest ${count(LIMIT)} bars, from the question to the JSON text; aim ${AIM_MS} ms\n`)
  printTable([
    ['interval', 'adjustment', 'bars stored', 'bars', 'kB', 'median ms', 'best', 'worst'],
    ...results.map((one) => [
      one.interval,
      one.adjustment,
      count(one.stored),
      count(one.bars),
      count(one.bytes / 1000),
      ...[one.ms.median, one.ms.min, one.ms.max].map((ms) => ms.toFixed(2)),
    ]),
  ])
}
