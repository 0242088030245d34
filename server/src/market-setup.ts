import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { StockListing } from './chain/embedded/deploy-stock.ts'
import type { Config } from './config.ts'
import type { Sql } from './db/pool.ts'
import { systemClock } from './lib/clock.ts'
import { openEmbeddedMarket, type RecordedFile } from './market/embedded.ts'
import { embeddedInstruments } from './market/instruments.ts'
import type { Market } from './market/tasks.ts'

const WAD = 10n ** 18n

/** Daily S&P 500 bars of 2000 to 2020; comes with the development dependencies and is absent from a production install. */
const RECORDED_SPX = join(import.meta.dirname, '..', '..', 'node_modules', 'vega-datasets', 'data', 'sp500-2000.csv')

/** MARKET_RECORDED_FILES, as `SYMBOL=path,…`; the recorded S&P 500 when it is unset and installed. */
export function recordedFiles(setting: string | undefined): readonly RecordedFile[] {
  if (setting === undefined) return existsSync(RECORDED_SPX) ? [{ symbol: 'SPX', path: RECORDED_SPX }] : []
  return setting.split(',').map((entry) => {
    const equals = entry.indexOf('=')
    return { symbol: entry.slice(0, equals).trim(), path: entry.slice(equals + 1).trim() }
  })
}

/** The stocks that the embedded venue lists: every instrument that has a price to start from. */
export function embeddedListings(recorded: readonly RecordedFile[]): readonly StockListing[] {
  return embeddedInstruments
    .filter(({ symbol, startingPrice8 }) => startingPrice8 !== null || recorded.some((file) => file.symbol === symbol))
    .map(({ symbol, name }) => ({ ticker: symbol, company: name }))
}

/** Opens the simulated market. */
export const openMarket = (
  sql: Sql,
  config: Pick<Config, 'MARKET_SEED' | 'MARKET_HOURS' | 'MARKET_CORPORATE_ACTIONS'>,
  recorded: readonly RecordedFile[],
): Promise<Market> =>
  openEmbeddedMarket(sql, {
    seed: config.MARKET_SEED,
    marketHours: config.MARKET_HOURS,
    corporateActionsFile: config.MARKET_CORPORATE_ACTIONS,
    marketClock: systemClock,
    instruments: embeddedInstruments,
    recordedFiles: recorded,
    maxOrderNotionalWad: 1_000_000n * WAD,
    maxFillDelaySteps: 2,
  })
