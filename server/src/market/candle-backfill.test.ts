import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createPool, type Sql } from '../db/pool.ts'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { createLogger } from '../lib/logger.ts'
import { INTERVALS } from './candles.ts'
import { alwaysOpen } from './hours.ts'
import { embeddedInstruments } from './instruments.ts'
import { ensurePartitions, MINUTE_BARS } from './partitions.ts'
import { upsertSymbols } from './store.ts'
import { pollQuotes } from './tasks.ts'
import { candles } from './testing-bars.ts'

const MIGRATIONS = join(import.meta.dirname, '../db/migrations')
const CANDLES_MIGRATION = '054.do.candles.sql'

let current: TestDatabase
let former: TestDatabase
beforeEach(async () => {
  ;[current, former] = [await testDatabase(), await testDatabase()]
})
afterEach(async () => {
  await current.drop()
  await former.drop()
})

/** A venue that ran before the bars of longer intervals were kept. */
async function formerSchema(): Promise<Sql> {
  await former.sql`create schema former`
  const url = new URL(former.url)
  url.searchParams.set('options', '-c search_path=former')
  const sql = createPool({ url: url.href, maxConnections: 2, applicationName: 'test' })
  for (const file of readdirSync(MIGRATIONS).sort()) {
    if (file.startsWith('040')) await sql.unsafe(readFileSync(join(MIGRATIONS, file), 'utf8'))
  }
  return sql
}

it('gives a venue of before the bars that it would have if it had kept them from the beginning', async () => {
  const sql = await formerSchema()
  await current.sql.begin((tx) => upsertSymbols(tx, embeddedInstruments))
  const symbols = await current.sql`
    select symbol, name, tradable, fractionable, overnight_tradable, fractional_eh_enabled, logo_url, pdf_url,
      last_close_price8::text from market_symbols`
  await sql`insert into market_symbols ${sql(symbols)}`
  const known = new Set<string>()
  let timeMs = Date.UTC(2029, 11, 30, 22)
  for (let i = 0; i < 60; i++) {
    timeMs += 1000 * (7 + 83 * (i % 5) + (i % 7 === 0 ? 20_000 : 0))
    const price8 = BigInt(20_000 + ((i * 7919) % 997)) * 1_000_000n
    const quote = { symbol: 'AAPL', price8, bid8: price8, ask8: price8, volumeWad: BigInt(i) * 10n ** 18n, timeMs }
    const source = { name: 'test', symbols: () => [], latestQuotes: async () => [quote] }
    const market = { source, clock: { nowMs: () => timeMs }, hours: alwaysOpen }
    await pollQuotes({ sql: current.sql, log: createLogger('silent') }, market, known)
  }
  const minutes = await current.sql`
    select symbol, start_time, open_price8::text, high_price8::text, low_price8::text, close_price8::text,
      volume_wad::text, volume_total_wad::text from market_minute_bars`
  await ensurePartitions(
    sql,
    MINUTE_BARS,
    minutes.map(({ start_time }) => start_time.getTime()),
  )
  await sql`insert into market_minute_bars ${sql(minutes)}`

  await sql.unsafe(readFileSync(join(MIGRATIONS, CANDLES_MIGRATION), 'utf8'))
  const nowMs = timeMs + 86_400_000
  const ask = { nowMs, endSec: nowMs / 1000 }
  for (const interval of INTERVALS) {
    const expected = await candles(current.sql, { interval, ...ask })
    expect(expected.length).toBeGreaterThan(1)
    expect(await candles(sql, { interval, ...ask }), interval).toEqual(expected)
  }
  await sql.end()
})
