import { firstBars } from '../common/bars.ts'
import { type Market, type Params, type Raw, type Venue, venueSec } from '../venue.ts'
import { CALLS, PERPETUAL } from './calls.ts'
import { basisPoints, wad } from './units.ts'

export const TIMEFRAMES = Object.fromEntries(
  ['1m', '5m', '15m', '30m', '1h', '4h', '8h', '12h', '1d', '1w', '1M'].map((name) => [name, name]),
)
/** Amounts and prices have 18 decimals; the contracts round prices to the nearest tick that is not worse. */
const STEP = 1e-18
const MOST_CANDLES = 1000
/** Levels one basis point apart. */
const FINEST_BOOK = '1'
const MOST_HOURS = 200
const HOUR_SEC = 3600
/** Beyond everything that the venue has, Unix seconds. */
const FAR_FUTURE = 4_000_000_000

export const fetchTime = async (venue: Venue, params: Params = {}): Promise<number> =>
  Number(await venue.ask(CALLS.time, params))

/** Of two instruments of one symbol the first: it is the one that the venue takes the symbol for, in orders as in answers. */
export async function fetchMarkets(venue: Venue, params: Params = {}) {
  const instruments = await venue.ask<Raw[]>(CALLS.instruments, params)
  const markets = new Map<unknown, ReturnType<typeof market>>()
  for (const raw of instruments) if (!markets.has(raw.symbol)) markets.set(raw.symbol, market(venue, raw))
  return [...markets.values()]
}

function market(venue: Venue, raw: Raw) {
  const base = String((raw.base as Raw).symbol)
  const quote = String((raw.quote as Raw).symbol)
  const { Precise } = venue.ccxt
  const taker = Precise.stringAdd(String(raw.tradingFeeRatio), String(raw.protocolFeeRatio)) as string
  return venue.safeMarketStructure({
    id: String(raw.symbol),
    symbol: `${base}/${quote}:${quote}`,
    base,
    quote,
    settle: quote,
    baseId: base,
    quoteId: quote,
    settleId: quote,
    type: 'swap',
    spot: false,
    margin: false,
    swap: true,
    future: false,
    option: false,
    index: false,
    contract: true,
    linear: true,
    inverse: false,
    subType: 'linear',
    contractSize: 1,
    active: raw.instrumentCondition === 'NORMAL',
    taker: venue.parseNumber(basisPoints(venue, taker)),
    precision: { amount: STEP, price: STEP },
    limits: {
      amount: { min: undefined, max: undefined },
      price: { min: undefined, max: undefined },
      cost: { min: venue.parseNumber(wad(venue, raw, 'minTradeValue')), max: undefined },
      leverage: {
        min: undefined,
        max: venue.parseNumber(Precise.stringDiv('10000', String(raw.initialMarginRatio))),
      },
    },
    marginModes: { cross: false, isolated: true },
    info: raw,
  })
}

/** The market of a record, which names it BASE/QUOTE. */
export const marketOf = (venue: Venue, raw: Raw): Market =>
  venue.safeMarket(String(raw.symbol), undefined, undefined, 'swap')

/** Whether a record is of a market: not of a dated pair, nor of another instrument, which has the same symbol. */
export function isOfMarket(venue: Venue, raw: Raw): boolean {
  const { instrumentAddress } = (marketOf(venue, raw).info ?? {}) as Raw
  const address = raw.instrumentAddress ?? raw.instrumentAddr
  // One that was listed after the markets were read has no market to be taken for.
  return Number(raw.expiry) === PERPETUAL && (instrumentAddress === undefined || instrumentAddress === address)
}

/** The market of the instrument at an address. */
export const marketAt = (venue: Venue, address: string): Market | undefined =>
  Object.values(venue.markets ?? {}).find(({ info }) => info.instrumentAddress === address) as Market | undefined

export async function fetchTicker(venue: Venue, symbol: string, params: Params = {}) {
  await venue.loadMarkets()
  const market = venue.market(symbol)
  return venue.parseTicker(await venue.ask(CALLS.tickers, { symbol: market.id, ...params }), market)
}

export async function fetchTickers(venue: Venue, symbols?: string[], params: Params = {}) {
  await venue.loadMarkets()
  const wanted = venue.marketSymbols(symbols)
  const tickers = await venue.ask<Raw[]>(CALLS.tickers, params)
  return venue.parseTickers(
    tickers.filter((raw) => isOfMarket(venue, raw)),
    wanted,
  )
}

export function parseTicker(venue: Venue, raw: Raw, market: Market = marketOf(venue, raw)) {
  const timestamp = venue.safeTimestamp(raw, 'timestamp')
  const { Precise } = venue.ccxt
  return venue.safeTicker(
    {
      symbol: market.symbol,
      timestamp,
      datetime: venue.iso8601(timestamp),
      open: venue.safeString(raw, 'openPrice24h'),
      high: venue.safeString(raw, 'highPrice24h'),
      low: venue.safeString(raw, 'lowPrice24h'),
      close: wad(venue, raw, 'lastPrice'),
      last: wad(venue, raw, 'lastPrice'),
      change: wad(venue, raw, 'priceChange24H'),
      percentage: Precise.stringMul(wad(venue, raw, 'priceChangePercent24h'), '100'),
      baseVolume: wad(venue, raw, 'volume24h'),
      quoteVolume: wad(venue, raw, 'quoteVolume24h'),
      // 0 while the price source gives none.
      markPrice: venue.omitZero(wad(venue, raw, 'markPrice')),
      indexPrice: venue.omitZero(wad(venue, raw, 'spotPrice')),
      info: raw,
    } as never,
    market,
  )
}

export async function fetchOrderBook(venue: Venue, symbol: string, limit?: number, params: Params = {}) {
  await venue.loadMarkets()
  const market = venue.market(symbol)
  const { ratio = FINEST_BOOK, ...more } = params
  const books = await venue.ask<Raw>(CALLS.orderBook, { symbol: market.id, ...more })
  return bookOf(venue, market.symbol, books, { ratio: String(ratio), limit })
}

/** The book at one ratio: how many basis points its levels are apart. */
export function bookOf(
  venue: Venue,
  symbol: string,
  books: Raw,
  { ratio = FINEST_BOOK, limit = undefined as number | undefined } = {},
) {
  const book = books[ratio] as Raw | undefined
  if (!book)
    throw new venue.ccxt.BadRequest(`${venue.id} has no book of the ratio ${ratio}, but of ${Object.keys(books)}`)
  const block = book.blockInfo as Raw
  const levels = (side: unknown) =>
    (side as Raw[]).slice(0, limit).map((level) => [wad(venue, level, 'price'), wad(venue, level, 'baseSize')])
  const sides = { bids: levels(book.bids), asks: levels(book.asks) }
  const parsed = venue.parseOrderBook(sides, symbol, venue.safeTimestamp(block, 'timestamp'))
  return { ...parsed, nonce: venue.safeInteger(block, 'height') }
}

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
  const ask = (more: Params) => venue.ask<Raw[]>(CALLS.candles, { symbol: market.id, interval, limit: count, ...more })
  if (since === undefined) return venue.parseOHLCVs(await ask(params), market, timeframe, since, limit)
  const lastSec = venue.safeInteger(params, 'end', FAR_FUTURE) as number
  const candles = await firstBars(
    {
      ask: (start, end) => ask({ ...params, start, end: Math.min(end, lastSec), limit: MOST_CANDLES }),
      secondOf: ({ openTime }) => Number(openTime),
      // Of a month about its length: there are not as many months as an answer holds.
      stepSec: venue.parseTimeframe(timeframe),
      most: MOST_CANDLES,
    },
    { fromSec: Math.ceil(since / 1000), untilSec: Math.min(venueSec(venue), lastSec), count },
  )
  return venue.parseOHLCVs(candles, market, timeframe, since, limit)
}

/** A candle of `market/kline`, or of the stream, which names its first second otherwise. */
export const parseOHLCV = (venue: Venue, raw: Raw) => [
  venue.safeTimestamp2(raw, 'openTime', 'startTime'),
  ...['open', 'high', 'low', 'close', 'baseVolume'].map((field) => venue.safeNumber(raw, field)),
]

export async function fetchFundingRateHistory(
  venue: Venue,
  symbol: string,
  since?: number,
  limit?: number,
  params: Params = {},
) {
  await venue.loadMarkets()
  const market = venue.market(symbol)
  const count = Math.min(limit ?? MOST_HOURS, MOST_HOURS)
  const ask = (more: Params) => venue.ask<Raw[]>(CALLS.funding, { symbol: market.id, limit: count, ...more })
  const lastSec = venue.safeInteger(params, 'endTime', FAR_FUTURE) as number
  const hours =
    since === undefined
      ? await ask(params)
      : await firstBars(
          {
            ask: (startTime, end) => ask({ ...params, startTime, endTime: Math.min(end, lastSec), limit: MOST_HOURS }),
            secondOf: ({ timestamp }) => Number(timestamp),
            stepSec: HOUR_SEC,
            most: MOST_HOURS,
          },
          { fromSec: Math.ceil(since / 1000), untilSec: Math.min(venueSec(venue), lastSec), count },
        )
  const rates = hours.map((raw) => {
    const timestamp = venue.safeTimestamp(raw, 'timestamp')
    const fundingRate = venue.parseNumber(wad(venue, raw, 'long'))
    return { info: raw, symbol: market.symbol, fundingRate, timestamp, datetime: venue.iso8601(timestamp) }
  })
  return venue.filterBySymbolSinceLimit(rates, market.symbol, since, limit)
}

export async function fetchFundingRate(venue: Venue, symbol: string, params: Params = {}) {
  await venue.loadMarkets()
  const market = venue.market(symbol)
  return venue.parseFundingRate(await venue.ask(CALLS.tickers, { symbol: market.id, ...params }), market)
}

/** Funding flows whenever something happens on the pair: the rate is that of an hour at present prices. */
export function parseFundingRate(venue: Venue, raw: Raw, market: Market = marketOf(venue, raw)) {
  const timestamp = venue.safeTimestamp(raw, 'timestamp')
  return {
    info: raw,
    symbol: market.symbol,
    markPrice: venue.parseNumber(venue.omitZero(wad(venue, raw, 'markPrice'))),
    indexPrice: venue.parseNumber(venue.omitZero(wad(venue, raw, 'spotPrice'))),
    interestRate: undefined,
    estimatedSettlePrice: undefined,
    timestamp,
    datetime: venue.iso8601(timestamp),
    fundingRate: venue.parseNumber(wad(venue, raw, 'fundingRate')),
    fundingTimestamp: undefined,
    fundingDatetime: undefined,
    nextFundingRate: undefined,
    nextFundingTimestamp: undefined,
    nextFundingDatetime: undefined,
    previousFundingRate: undefined,
    previousFundingTimestamp: undefined,
    previousFundingDatetime: undefined,
    interval: '1h',
  }
}
