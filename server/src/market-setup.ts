import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { StockListing } from './chain/deploy/stock-plan.ts'
import type { Config } from './config.ts'
import type { Sql } from './db/pool.ts'
import { systemClock } from './lib/clock.ts'
import type { Logger } from './lib/logger.ts'
import { type AlpacaSettings, instrumentsAtAlpaca, type OpenMarket, openAlpacaMarket } from './market/alpaca/market.ts'
import { openEmbeddedMarket, type RecordedFile } from './market/embedded.ts'
import { embeddedInstruments } from './market/instruments.ts'
import { requireOrigin } from './market/origin.ts'

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

type MarketConfig = Pick<
  Config,
  | ('MARKET_SEED' | 'MARKET_HOURS' | 'MARKET_CORPORATE_ACTIONS' | 'BROKER')
  | ('ALPACA_KEY_ID' | 'ALPACA_SECRET_KEY' | 'ALPACA_SYMBOLS' | 'ALPACA_FEED')
  | ('ALPACA_TRADING_URL' | 'ALPACA_DATA_URL' | 'ALPACA_STREAM_URL')
>

/** The stocks that an embedded chain is set up with: the simulator's, or ALPACA_SYMBOLS as the broker names them. */
export async function marketListings(
  config: MarketConfig,
  recorded: readonly RecordedFile[],
): Promise<readonly StockListing[]> {
  if (config.BROKER === 'simulated') return embeddedListings(recorded)
  const instruments = await instrumentsAtAlpaca(alpacaSettings(config))
  return instruments.map(({ symbol, name }) => ({ ticker: symbol, company: name }))
}

/**
 * Opens the market that BROKER names. Throws `market_origin_changed` when the database belongs to another; which account it
 * is at a broker shows with the first request.
 */
export async function openMarket(
  sql: Sql,
  config: MarketConfig,
  recorded: readonly RecordedFile[],
  log: Logger,
): Promise<OpenMarket> {
  if (config.BROKER === 'alpaca') {
    return openAlpacaMarket(sql, { settings: alpacaSettings(config), clock: systemClock, log })
  }
  await requireOrigin(sql, 'simulator')
  const market = await openEmbeddedMarket(sql, {
    seed: config.MARKET_SEED,
    marketHours: config.MARKET_HOURS,
    corporateActionsFile: config.MARKET_CORPORATE_ACTIONS,
    marketClock: systemClock,
    instruments: embeddedInstruments,
    recordedFiles: recorded,
    maxOrderNotionalWad: 1_000_000n * WAD,
    maxFillDelaySteps: 2,
  })
  return { ...market, tasks: [], close: () => {} }
}

/** The configuration has checked that they are there for whoever asks the broker. */
const alpacaSettings = (config: MarketConfig): AlpacaSettings => ({
  keyId: config.ALPACA_KEY_ID ?? '',
  secretKey: config.ALPACA_SECRET_KEY ?? '',
  tradingUrl: config.ALPACA_TRADING_URL,
  dataUrl: config.ALPACA_DATA_URL,
  streamUrl: config.ALPACA_STREAM_URL,
  feed: config.ALPACA_FEED,
  symbols: [...new Set(config.ALPACA_SYMBOLS?.split(','))],
})
