import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Sql } from '../db/pool.ts'
import { systemClock } from '../lib/clock.ts'
import type { Logger } from '../lib/logger.ts'
import { WAD } from '../lib/wad.ts'
import { type AlpacaSettings, instrumentsAtAlpaca, type OpenMarket, openAlpacaMarket } from './alpaca/market.ts'
import { simulatedCoins } from './coins.ts'
import { openEmbeddedMarket, type RecordedFile } from './embedded.ts'
import { embeddedInstruments } from './instruments.ts'
import { requireOrigin } from './origin.ts'
import { readDailyBars } from './replay.ts'
import type { MarketSettings } from './variables.ts'

/** Daily S&P 500 bars of 2000 to 2020; comes with the development dependencies and is absent from a production install. */
const RECORDED_SPX = join(
  import.meta.dirname,
  '..',
  '..',
  '..',
  'node_modules',
  'vega-datasets',
  'data',
  'sp500-2000.csv',
)

/** MARKET_RECORDED_FILES, as `SYMBOL=path,…`; the recorded S&P 500 when it is unset and installed. */
export function recordedFiles(setting: string | undefined): readonly RecordedFile[] {
  if (setting === undefined) return existsSync(RECORDED_SPX) ? [{ symbol: 'SPX', path: RECORDED_SPX }] : []
  return setting.split(',').map((entry) => {
    const equals = entry.indexOf('=')
    return { symbol: entry.slice(0, equals).trim(), path: entry.slice(equals + 1).trim() }
  })
}

/** A stock that an embedded venue lists. */
export interface Listing {
  /** Upper-case ticker of the underlying. */
  readonly ticker: string
  /** Name of the company or fund. */
  readonly company: string
}

/** The stocks that the embedded venue lists: every instrument that has a price to start from. */
export function embeddedListings(recorded: readonly RecordedFile[]): readonly Listing[] {
  return embeddedInstruments
    .filter(({ symbol, startingPrice8 }) => startingPrice8 !== null || recorded.some((file) => file.symbol === symbol))
    .map(({ symbol, name }) => ({ ticker: symbol, company: name }))
}

/** What an embedded chain is set up with. */
export interface MarketListings {
  readonly stocks: readonly Listing[]
  /** Prices that perpetuals can begin at: of coins, and of stocks and indices that have a last close. */
  readonly prices: readonly StartingPrice[]
}

export interface StartingPrice {
  readonly symbol: string
  /** USD with 8 decimals. */
  readonly price8: bigint
}

/** The simulator's stocks and prices, or ALPACA_SYMBOLS as the broker names them, which come without prices. */
export async function marketListings(
  config: MarketSettings,
  recorded: readonly RecordedFile[],
): Promise<MarketListings> {
  if (config.BROKER === 'simulated')
    return { stocks: embeddedListings(recorded), prices: await startingPrices(config, recorded) }
  const instruments = await instrumentsAtAlpaca(alpacaSettings(config))
  return { stocks: instruments.map(({ symbol, name }) => ({ ticker: symbol, company: name })), prices: [] }
}

async function startingPrices(config: MarketSettings, recorded: readonly RecordedFile[]): Promise<StartingPrice[]> {
  const closes = recorded.map(async ({ symbol, path }) => ({
    symbol,
    price8: (await readDailyBars(path)).at(-1)?.close8,
  }))
  const known = [
    ...(await simulatedCoins(config.MARKET_SEED, systemClock).latestQuotes()),
    ...(await Promise.all(closes)),
  ]
  return known.flatMap(({ symbol, price8 }) => (price8 === undefined ? [] : [{ symbol, price8 }]))
}

/**
 * Opens the market that BROKER names. Throws `market_origin_changed` when the database belongs to another; which account it
 * is at a broker shows with the first request.
 */
export async function openMarket(
  sql: Sql,
  config: MarketSettings,
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
  return { ...market, tasks: () => [], close: () => {} }
}

/** The configuration has checked that they are there for whoever asks the broker. */
const alpacaSettings = (config: MarketSettings): AlpacaSettings => ({
  keyId: config.ALPACA_KEY_ID ?? '',
  secretKey: config.ALPACA_SECRET_KEY ?? '',
  tradingUrl: config.ALPACA_TRADING_URL,
  dataUrl: config.ALPACA_DATA_URL,
  streamUrl: config.ALPACA_STREAM_URL,
  feed: config.ALPACA_FEED,
  symbols: [...new Set(config.ALPACA_SYMBOLS?.split(','))],
})
