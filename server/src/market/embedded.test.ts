import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../db/testing.ts'
import { createLogger } from '../lib/logger.ts'
import { type EmbeddedMarketOptions, openEmbeddedMarket } from './embedded.ts'
import { embeddedInstruments } from './instruments.ts'
import { findSymbol, latestQuote, listSymbols, quotesToPublish } from './store.ts'
import { type Market, pollQuotes } from './tasks.ts'

const SP500 = {
  symbol: 'SPX',
  path: join(import.meta.dirname, '../../../node_modules/vega-datasets/data/sp500-2000.csv'),
}
const START_MS = Date.UTC(2026, 7, 3, 15, 0, 0)

let database: TestDatabase
let nowMs: number
beforeEach(async () => {
  database = await testDatabase()
  nowMs = START_MS
})
afterEach(() => database.drop())

const open = (changes: Partial<EmbeddedMarketOptions> = {}): Promise<Market> =>
  openEmbeddedMarket(database.sql, {
    seed: 'test',
    marketClock: { nowMs: () => nowMs },
    instruments: embeddedInstruments,
    recordedFiles: [SP500],
    maxOrderNotionalWad: 10n ** 24n,
    maxFillDelaySteps: 0,
    ...changes,
  })
const poll = (market: Market) => pollQuotes({ sql: database.sql, log: createLogger('silent') }, market)

describe('openEmbeddedMarket', () => {
  it('loads the real record whole, keeps its dates and digits, and starts the simulator at its last close', async () => {
    const market = await open()
    const [stored] = await database.sql`
      select count(*) as bars, min(trade_date)::text as first, max(trade_date)::text as last,
        sum(close_price8) as closes, sum(volume_wad) as volumes from market_daily_bars where symbol = 'SPX'`
    expect(stored).toEqual({
      bars: 5105n,
      first: '2000-01-03',
      last: '2020-04-17',
      closes: 814_574_972_648_100n,
      volumes: 15_950_099_260_000n * 10n ** 18n,
    })
    await poll(market)
    expect(await latestQuote(database.sql, 'SPX')).toMatchObject({
      price8: 287_456_005_900n,
      previousClose8: 287_456_005_900n,
      change24h8: 0n,
      sourceTimeMs: START_MS,
    })
  })

  it('loads the record again without a change, and takes over a correction', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bars-'))
    const file = { symbol: 'SPX', path: join(folder, 'spx.csv') }
    const versions = () => database.sql`
      select trade_date::text as date, close_price8 as close, xmin::text from market_daily_bars order by 1`
    await writeFile(file.path, 'date,open,high,low,close\n2020-01-02,10,12,9,11\n2020-01-03,11,12,9,10\n')
    await open({ recordedFiles: [file] })
    const before = await versions()
    await open({ recordedFiles: [file] })
    expect(await versions()).toEqual(before)
    await writeFile(file.path, 'date,open,high,low,close\n2020-01-02,10,12,9,11\n2020-01-03,11,12,9,10.5\n')
    await open({ recordedFiles: [file] })
    const after = await versions()
    expect(after.map((bar) => bar.close)).toEqual([1_100_000_000n, 1_050_000_000n])
    expect(after[0]).toEqual(before[0])
    await rm(folder, { recursive: true })
  })

  it('starts without a record: what only a record could price is not listed', async () => {
    const market = await open({ recordedFiles: [] })
    await poll(market)
    const symbols = (await listSymbols(database.sql)).map((listed) => listed.symbol)
    expect(symbols).toEqual(['AAPL', 'AMZN', 'GOOGL', 'META', 'MSFT', 'NVDA', 'QQQ', 'SPY', 'TSLA'])
    expect(await findSymbol(database.sql, 'SPX')).toBeNull()
    expect(market.source.symbols()).not.toContain('SPX')
  })

  it('keeps the record of an earlier start when the file is gone', async () => {
    await open()
    expect((await open({ recordedFiles: [] })).source.symbols()).toContain('SPX')
  })

  it('stores nothing of a start with a bad file or an unknown symbol', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'bars-'))
    const path = join(folder, 'bad.csv')
    await writeFile(path, 'date,open,high,low,close\n2020-01-02,10,8,9,9\n')
    await expect(open({ recordedFiles: [{ symbol: 'SPX', path }] })).rejects.toThrow('bad.csv:2: high 8 is below low 9')
    await expect(open({ recordedFiles: [{ symbol: 'DAX', path }] })).rejects.toThrow('there is no instrument DAX')
    await rm(folder, { recursive: true })
    expect(await listSymbols(database.sql)).toEqual([])
  })

  it('goes on along the same path after a restart, and two processes agree', async () => {
    const first = await open()
    nowMs += 3_600_000
    const [second, third] = await Promise.all([open(), open()])
    const quotes = await first.source.latestQuotes()
    expect(await second.source.latestQuotes()).toEqual(quotes)
    expect(await third.source.latestQuotes()).toEqual(quotes)
    expect(quotes).toHaveLength(10)
  })

  it('plays the same path in a fresh venue that starts at another time', async () => {
    const market = await open()
    nowMs += 600_000
    const prices = (await market.source.latestQuotes()).map((quote) => quote.price8)
    const other = await testDatabase()
    nowMs = START_MS + 86_400_000 * 9
    const options = { seed: 'test', marketClock: { nowMs: () => nowMs }, instruments: embeddedInstruments }
    const later = await openEmbeddedMarket(other.sql, {
      ...options,
      recordedFiles: [SP500],
      maxOrderNotionalWad: 1n,
      maxFillDelaySteps: 0,
    })
    nowMs += 600_000
    expect((await later.source.latestQuotes()).map((quote) => quote.price8)).toEqual(prices)
    await other.drop()
  })

  it('goes on from the last quote under another seed, and from a newer recorded close', async () => {
    const market = await open()
    nowMs += 7_200_000
    await poll(market)
    const before = await latestQuote(database.sql, 'AAPL')
    const reseeded = await open({ seed: 'another' })
    expect((await reseeded.source.latestQuotes())[0]?.price8).toBe(before?.price8)

    const folder = await mkdtemp(join(tmpdir(), 'bars-'))
    const path = join(folder, 'spx.csv')
    await writeFile(path, 'date,open,high,low,close\n2020-04-20,2800,2900,2700,2823.16\n')
    const continued = await open({ recordedFiles: [{ symbol: 'SPX', path }] })
    await rm(folder, { recursive: true })
    const spx = (await continued.source.latestQuotes()).find((quote) => quote.symbol === 'SPX')
    expect(spx?.price8).toBe(282_316_000_000n)
  })
})

describe('pollQuotes', () => {
  it('publishes each quote with its source time in the regular session', async () => {
    const market = await open()
    nowMs += 61_500
    await poll(market)
    const quotes = await quotesToPublish(database.sql)
    const sources = (await market.source.latestQuotes()).map(({ symbol, price8, bid8, ask8, timeMs }) => ({
      symbol,
      price8,
      bid8,
      ask8,
      sourceTimeMs: timeMs,
      session: 2,
    }))
    expect(quotes).toEqual(sources.sort((a, b) => (a.symbol < b.symbol ? -1 : 1)))
    expect(quotes[0]?.sourceTimeMs).toBe(START_MS + 61_000)
  })
})
