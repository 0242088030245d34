import { createHmac } from 'node:crypto'
import { PERP_ERRORS } from '../common/errors.ts'
import type { Exchange, Product, SignedRequest } from '../venue.ts'
import * as account from './account.ts'
import { CALLS } from './calls.ts'
import * as marketData from './market-data.ts'
import { parsePosition, parseTrade } from './records.ts'
import { receive, STREAM_PATH, WATCHES } from './streams.ts'
import * as trading from './trading.ts'

/** Base64 HMAC-SHA256 over time, method, path with its query, and body. */
export const signature = (secret: string, { timestamp, method, target, body }: SignedRequest): string =>
  createHmac('sha256', secret).update(`${timestamp}${method}${target}${body}`).digest('base64')

const headers = (exchange: Exchange, request: SignedRequest): Record<string, string> => ({
  'X-Api-Key': exchange.apiKey,
  'X-Api-Ts': request.timestamp,
  'X-Api-Sign': signature(exchange.secret, request),
  'X-Chain-Id': String(exchange.options.chainId),
})

export const perp: Product = {
  id: 'bourse',
  name: 'Bourse',
  calls: CALLS,
  successCode: 0,
  errors: PERP_ERRORS,
  prefix: '/v4/public/trader/',
  streamPath: STREAM_PATH,
  ping: 'ping',
  neededOptions: ['chainId'],
  headers,
  receive,
  operations: {
    fetchTime: marketData.fetchTime,
    fetchMarkets: marketData.fetchMarkets,
    fetchTicker: marketData.fetchTicker,
    fetchTickers: marketData.fetchTickers,
    fetchOrderBook: marketData.fetchOrderBook,
    fetchOHLCV: marketData.fetchOHLCV,
    fetchFundingRate: marketData.fetchFundingRate,
    fetchFundingRateHistory: marketData.fetchFundingRateHistory,
    parseTicker: marketData.parseTicker,
    parseOHLCV: marketData.parseOHLCV,
    parseFundingRate: marketData.parseFundingRate,
    fetchBalance: account.fetchBalance,
    fetchPosition: account.fetchPosition,
    fetchPositions: account.fetchPositions,
    fetchOrder: account.fetchOrder,
    fetchOpenOrders: account.fetchOpenOrders,
    fetchClosedOrders: account.fetchClosedOrders,
    fetchCanceledOrders: account.fetchCanceledOrders,
    fetchCanceledAndClosedOrders: account.fetchCanceledAndClosedOrders,
    fetchMyTrades: account.fetchMyTrades,
    parseTrade,
    parsePosition,
    createOrder: trading.createOrder,
    cancelOrder: trading.cancelOrder,
    cancelAllOrders: trading.cancelAllOrders,
    closePosition: trading.closePosition,
    ...WATCHES,
  },
  description: {
    countries: [],
    version: 'v4',
    // 1,200 requests a minute from an address.
    rateLimit: 50,
    certified: false,
    pro: true,
    dex: true,
    has: { CORS: false, spot: false, margin: false, swap: true, future: false, option: false, sandbox: false },
    timeframes: marketData.TIMEFRAMES,
    requiredCredentials: { apiKey: true, secret: true },
    precisionMode: 4,
    urls: { api: { rest: undefined } },
    options: {
      chainId: undefined,
      timeDifference: 0,
      /** Margin of an order: its value over this. */
      leverage: '1',
      /** How much worse than now the price of a market order may be. */
      slippageBps: 50,
      /** How long a send may take until it counts as of an unknown outcome, milliseconds. */
      confirmTimeout: 30_000,
      confirmInterval: 500,
      streamKeepAlive: 10_000,
    },
  },
}
