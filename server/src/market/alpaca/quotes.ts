import type { Logger } from '../../lib/logger.ts'
import type { MarketHours } from '../hours.ts'
import type { QuoteSource, SourceQuote } from '../ports.ts'
import type { AlpacaRest } from './rest.ts'
import { ReconnectingStream, type Talk } from './stream.ts'
import { asList, asObject, decimal, invalid, optionalDecimal, text, time, type WireObject } from './wire.ts'

const READY_TIMEOUT_MS = 5_000

/**
 * Conditions of trades that were not made at the market's price of their moment: averages, late and derived prices, other
 * settlement, and official prices that repeat an earlier one. They are not a last price. (CTA and UTP specifications; the
 * codes come with each trade: https://docs.alpaca.markets/reference/stockmetaconditions-1)
 */
const NOT_A_LAST_PRICE = new Set(['B', 'C', 'G', 'H', 'M', 'N', 'P', 'Q', 'R', 'U', 'V', 'W', 'Z', '4', '7', '9'])

interface Trade {
  readonly id: string
  readonly price8: bigint
  readonly timeMs: number
}

interface BestPrices {
  readonly bid8: bigint
  readonly ask8: bigint
  readonly timeMs: number
}

/** The known state of a symbol. */
interface Known {
  trade: Trade | null
  best: BestPrices | null
  day: { readonly volumeWad: bigint; readonly timeMs: number } | null
}

export interface AlpacaQuotesOptions {
  readonly rest: AlpacaRest
  readonly dataUrl: string
  readonly streamUrl: string
  readonly feed: string
  readonly keyId: string
  readonly secretKey: string
  readonly symbols: readonly string[]
  readonly hours: MarketHours
  readonly log: Logger
  readonly firstRetryMs?: number
}

export interface AlpacaQuotes extends QuoteSource {
  close(): void
}

/**
 * Quotes of Alpaca's market data: trades, best prices and daily volumes from the stream, and a snapshot after each connect
 * for what it missed. While the stream is away nothing is answered. A quote has the time of its newest part as the source
 * gave it; a symbol without a trade and a two-sided quote of one trade date is absent.
 */
export function alpacaQuotes(options: AlpacaQuotesOptions): AlpacaQuotes {
  const { symbols, hours, log } = options
  const known = new Map<string, Known>(symbols.map((symbol) => [symbol, { trade: null, best: null, day: null }]))
  const talk: Talk = {
    hello: () => {},
    take(message, send) {
      let isReady = false
      for (const item of asList(message, 'the message')) isReady = takeItem(options, known, item, send) || isReady
      return isReady ? 'ready' : 'more'
    },
    caughtUp: () => takeSnapshots(options, known),
  }
  const stream = new ReconnectingStream({
    name: 'market data',
    url: `${options.streamUrl}/v2/${options.feed}`,
    talk,
    log,
    ...(options.firstRetryMs === undefined ? {} : { firstRetryMs: options.firstRetryMs }),
  })
  return {
    name: 'alpaca',
    symbols: () => symbols,
    async latestQuotes() {
      await stream.untilReady(READY_TIMEOUT_MS)
      return symbols.flatMap((symbol) => quoteOf(symbol, known.get(symbol), hours) ?? [])
    },
    close: () => stream.close(),
  }
}

function quoteOf(symbol: string, known: Known | undefined, hours: MarketHours): SourceQuote | null {
  if (!known?.trade || !known.best) return null
  const { trade, best, day } = known
  const isTwoSided = best.bid8 > 0n && best.ask8 >= best.bid8
  if (!isTwoSided || hours.tradeDate(trade.timeMs) !== hours.tradeDate(best.timeMs)) return null
  const { bid8, ask8 } = best
  const timeMs = Math.max(trade.timeMs, best.timeMs)
  return { symbol, bid8, ask8, timeMs, price8: trade.price8, volumeWad: day?.volumeWad ?? 0n }
}

/**
 * One message of https://docs.alpaca.markets/docs/real-time-stock-pricing-data. True when the subscription is granted. What
 * cannot be read of a symbol is left out; an error of the stream itself ends the connection.
 */
function takeItem(
  { keyId, secretKey, symbols, log }: AlpacaQuotesOptions,
  known: ReadonlyMap<string, Known>,
  item: WireObject,
  send: (message: unknown) => void,
): boolean {
  if (item.T === 'subscription') return true
  if (item.T === 'error') throw invalid(`market data is refused: ${item.code} ${item.msg}`)
  if (item.T === 'success') {
    if (item.msg === 'connected') send({ action: 'auth', key: keyId, secret: secretKey })
    if (item.msg === 'authenticated')
      send({ action: 'subscribe', trades: symbols, quotes: symbols, dailyBars: symbols })
    return false
  }
  const state = typeof item.S === 'string' ? known.get(item.S) : undefined
  if (!state) return false
  try {
    if (item.T === 't') takeTrade(state, item)
    else if (item.T === 'q') takeBest(state, item)
    else if (item.T === 'd') takeDay(state, item)
    else if (item.T === 'x') dropTrade(state, item.i)
    else if (item.T === 'c') correctTrade(state, item)
  } catch (err) {
    log.warn({ err, symbol: item.S, type: item.T }, 'a message of the market data cannot be read')
  }
  return false
}

/** https://docs.alpaca.markets/reference/stocksnapshots-1; what the stream said meanwhile is newer and stays. */
async function takeSnapshots(options: AlpacaQuotesOptions, known: ReadonlyMap<string, Known>): Promise<void> {
  const { rest, dataUrl, feed, symbols } = options
  const query = { symbols: symbols.join(), feed }
  const answer = asObject(await rest.get(`${dataUrl}/v2/stocks/snapshots`, query), 'the snapshots')
  for (const symbol of symbols) {
    const state = known.get(symbol)
    if (!state || !answer[symbol]) continue
    const { latestTrade, latestQuote, dailyBar } = asObject(answer[symbol], 'the snapshot')
    if (latestTrade) takeTrade(state, asObject(latestTrade, 'the trade'))
    if (latestQuote) takeBest(state, asObject(latestQuote, 'the quote'))
    if (dailyBar) takeDay(state, asObject(dailyBar, 'the bar'))
  }
}

function takeTrade(state: Known, item: WireObject): void {
  if (Array.isArray(item.c) && item.c.some((condition) => NOT_A_LAST_PRICE.has(condition))) return
  const trade = { id: String(item.i), price8: decimal(item, 'p', 8), timeMs: time(item, 't') }
  if (state.trade === null || trade.timeMs >= state.trade.timeMs) state.trade = trade
}

/** A missing side is a price of zero. */
function takeBest(state: Known, item: WireObject): void {
  const best = {
    bid8: optionalDecimal(item, 'bp', 8) ?? 0n,
    ask8: optionalDecimal(item, 'ap', 8) ?? 0n,
    timeMs: time(item, 't'),
  }
  if (state.best === null || best.timeMs >= state.best.timeMs) state.best = best
}

function takeDay(state: Known, item: WireObject): void {
  const day = { volumeWad: decimal(item, 'v', 18), timeMs: time(item, 't') }
  const isGrown = state.day?.timeMs === day.timeMs && day.volumeWad > state.day.volumeWad
  if (state.day === null || day.timeMs > state.day.timeMs || isGrown) state.day = day
}

/** A cancelled trade counts as none: until the next one the price is unknown. */
function dropTrade(state: Known, id: unknown): void {
  if (state.trade?.id === String(id)) state.trade = null
}

function correctTrade(state: Known, item: WireObject): void {
  if (state.trade?.id !== String(item.oi)) return
  const conditions = Array.isArray(item.cc) ? item.cc : []
  state.trade = null
  takeTrade(state, { i: item.ci, p: item.cp, t: text(item, 't'), c: conditions })
}
