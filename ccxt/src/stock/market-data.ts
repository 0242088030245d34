import { firstBars } from '../common/bars.ts'
import { type Market, type Params, type Raw, type Venue, venueSec } from '../venue.ts'
import { CALLS, CASH } from './calls.ts'

export const TIMEFRAMES = Object.fromEntries(['1m', '3m', '5m', '15m', '1h', '1d', '1w'].map((name) => [name, name]))
const MOST_CANDLES = 5000
/** The venue wants an end; this one is beyond every bar. */
const FAR_FUTURE = 4_000_000_000

export async function fetchMarkets(venue: Venue, params: Params = {}) {
  const [symbols, { exchangeFeeConfig }] = await Promise.all([
    venue.ask<Raw[]>(CALLS.symbols, params),
    venue.ask<{ exchangeFeeConfig: Raw }>(CALLS.config),
  ])
  const { buyFeeRate, sellFeeRate } = exchangeFeeConfig
  // ccxt has one rate for both sides: the dearer one.
  const fee = venue.parseNumber(venue.ccxt.Precise.stringMax(String(buyFeeRate), String(sellFeeRate)))
  return symbols.map((raw) => market(venue, raw, fee))
}

function market(venue: Venue, raw: Raw, fee: number | undefined) {
  const base = String(raw.symbol)
  const bounds = (field: string) => ({ min: venue.safeNumber(raw, field), max: undefined })
  return venue.safeMarketStructure({
    id: base,
    symbol: `${base}/${CASH}`,
    base,
    quote: CASH,
    baseId: base,
    quoteId: CASH,
    type: 'spot',
    spot: true,
    margin: false,
    swap: false,
    future: false,
    option: false,
    index: false,
    contract: false,
    active: raw.tradable === true,
    taker: fee,
    maker: fee,
    precision: {
      amount: venue.safeNumber(raw, 'quantityIncrement'),
      price: venue.safeNumber(raw, 'priceIncrement'),
      cost: venue.safeNumber(raw, 'notionalIncrement'),
    },
    limits: {
      amount: bounds('minQuantity'),
      price: { min: undefined, max: undefined },
      cost: bounds('minNotional'),
      leverage: { min: undefined, max: undefined },
    },
    info: raw,
  })
}

export const marketOf = (venue: Venue, ticker: unknown): Market =>
  venue.safeMarket(String(ticker), undefined, undefined, 'spot')

export async function fetchTicker(venue: Venue, symbol: string, params: Params = {}) {
  await venue.loadMarkets()
  const market = venue.market(symbol)
  return parseTicker(venue, await venue.ask<Raw>(CALLS.price, { symbol: market.id, ...params }), market)
}

export async function fetchTickers(venue: Venue, symbols?: string[], params: Params = {}) {
  await venue.loadMarkets()
  const rows = await venue.ask<Raw[]>(CALLS.symbols, params)
  const tickers = rows.map((raw) => parseTicker(venue, raw, marketOf(venue, raw.symbol)))
  return venue.filterByArrayTickers(tickers, 'symbol', venue.marketSymbols(symbols))
}

/** A quote of `prices/{symbol}` or the stream, or a row of `symbols`, which has no bid, ask and extremes. */
export function parseTicker(venue: Venue, raw: Raw, market: Market) {
  const quote = (raw.basicInfo ?? raw) as Raw
  const timestamp = venue.safeTimestamp(quote, 'lastUpdateTimestamp')
  return venue.safeTicker(
    {
      symbol: market.symbol,
      timestamp,
      datetime: venue.iso8601(timestamp),
      open: venue.safeString(quote, 'open'),
      high: venue.safeString(quote, 'high'),
      low: venue.safeString(quote, 'low'),
      bid: venue.safeString(quote, 'bid'),
      ask: venue.safeString(quote, 'ask'),
      last: venue.safeString(quote, 'price'),
      close: venue.safeString(quote, 'price'),
      previousClose: venue.safeString(quote, 'prevClose'),
      change: venue.safeString(quote, 'change24H'),
      percentage: venue.safeString(quote, 'change24HPercent'),
      baseVolume: venue.safeString(quote, 'volume24H'),
      info: raw,
    } as never,
    market,
  )
}

/** The newest bars; with `since` the oldest ones from there. */
export async function fetchOHLCV(
  venue: Venue,
  symbol: string,
  timeframe = '1m',
  since?: number,
  limit?: number,
  params: Params = {},
) {
  await venue.loadMarkets()
  const market = venue.market(symbol)
  const count = Math.min(limit ?? MOST_CANDLES, MOST_CANDLES)
  const interval = venue.safeString(venue.timeframes, timeframe, timeframe)
  const ask = (more: Params) =>
    venue.ask<Raw[]>(CALLS.candles, { symbol: market.id, interval, limit: count, endTime: FAR_FUTURE, ...more })
  if (since === undefined) return venue.parseOHLCVs(await ask(params), market, timeframe, since, limit)
  const lastSec = venue.safeInteger(params, 'endTime', FAR_FUTURE) as number
  const bars = await firstBars(
    {
      ask: (startTime, end) => ask({ ...params, startTime, endTime: Math.min(end, lastSec), limit: MOST_CANDLES }),
      secondOf: ({ timestamp }) => Number(timestamp),
      stepSec: venue.parseTimeframe(timeframe),
      most: MOST_CANDLES,
    },
    { fromSec: Math.ceil(since / 1000), untilSec: Math.min(venueSec(venue), lastSec), count },
  )
  return venue.parseOHLCVs(bars, market, timeframe, since, limit)
}

export const parseOHLCV = (venue: Venue, raw: Raw) => [
  venue.safeTimestamp(raw, 'timestamp'),
  ...['open', 'high', 'low', 'close', 'volume'].map((field) => venue.safeNumber(raw, field)),
]
