import { createHmac, randomUUID } from 'node:crypto'
import { STOCK_ERRORS } from '../common/errors.ts'
import type { Exchange, Product, SignedRequest } from '../venue.ts'
import * as account from './account.ts'
import { CALLS } from './calls.ts'
import * as marketData from './market-data.ts'
import { receive, STREAM_PATH, WATCHES } from './streams.ts'
import * as trading from './trading.ts'

/** Hex HMAC-SHA256 over five lines: method, path with its query sorted, time, nonce, body. */
export const signature = (secret: string, nonce: string, { timestamp, method, target, body }: SignedRequest): string =>
  createHmac('sha256', secret).update([method, target, timestamp, nonce, body].join('\n')).digest('hex')

function headers(exchange: Exchange, request: SignedRequest): Record<string, string> {
  const nonce = randomUUID()
  return {
    'x-api-key': exchange.apiKey,
    'x-api-ts': request.timestamp,
    'x-api-nonce': nonce,
    'x-api-sign': signature(exchange.secret, nonce, request),
    'x-api-chain-id': String(exchange.options.chainId),
    'x-api-p': String(exchange.options.productType),
  }
}

export const stock: Product = {
  id: 'boursestock',
  name: 'Bourse stocks',
  calls: CALLS,
  successCode: 200,
  errors: STOCK_ERRORS,
  prefix: '/api/v1/',
  streamPath: STREAM_PATH,
  ping: { op: 'ping' },
  neededOptions: ['chainId', 'productType'],
  headers,
  receive,
  operations: {
    fetchMarkets: marketData.fetchMarkets,
    fetchTicker: marketData.fetchTicker,
    fetchTickers: marketData.fetchTickers,
    fetchOHLCV: marketData.fetchOHLCV,
    parseOHLCV: marketData.parseOHLCV,
    fetchBalance: account.fetchBalance,
    fetchOrder: account.fetchOrder,
    fetchOrders: account.fetchOrders,
    fetchOpenOrders: account.fetchOpenOrders,
    fetchClosedOrders: account.fetchClosedOrders,
    fetchCanceledOrders: account.fetchCanceledOrders,
    fetchMyTrades: account.fetchMyTrades,
    parseTrade: account.parseTrade,
    createOrder: trading.createOrder,
    createMarketBuyOrderWithCost: trading.createMarketBuyOrderWithCost,
    cancelOrder: trading.cancelOrder,
    ...WATCHES,
  },
  description: {
    countries: [],
    version: 'v1',
    rateLimit: 50,
    certified: false,
    pro: true,
    dex: true,
    has: { CORS: false, spot: true, margin: false, swap: false, future: false, option: false, sandbox: false },
    timeframes: marketData.TIMEFRAMES,
    requiredCredentials: { apiKey: true, secret: true, walletAddress: true },
    precisionMode: 4,
    urls: { api: { rest: undefined } },
    options: {
      chainId: undefined,
      productType: 'Bourse',
      timeDifference: 0,
      /** How long an order may wait for its inclusion on chain. */
      deadlineSeconds: 600,
      /** How long an order may rest until it ends: longer than over a long weekend. */
      orderLifeSeconds: 604_800,
      confirmTimeout: 30_000,
      confirmInterval: 500,
      streamKeepAlive: 10_000,
    },
  },
}
