import type { Call } from '../venue.ts'

/** The operations of the perpetual API that the adapter uses (docs/reference/perp-api.md). */
export const CALLS = {
  time: ['public', 'GET', 'market/serverTime'],
  instruments: ['public', 'GET', 'market/instruments'],
  tickers: ['public', 'GET', 'market/tickers'],
  orderBook: ['public', 'GET', 'market/orderBook'],
  candles: ['public', 'GET', 'market/kline'],
  funding: ['public', 'GET', 'market/funding/history'],
  placeMarket: ['private', 'POST', 'order/market'],
  placeLimit: ['private', 'POST', 'order/limit'],
  cancel: ['private', 'POST', 'order/cancel'],
  cancelMany: ['private', 'POST', 'order/batch-cancel'],
  close: ['private', 'POST', 'position/close'],
  openOrders: ['private', 'GET', 'order/realtime'],
  order: ['private', 'GET', 'order/byId'],
  endedOrders: ['private', 'GET', 'order/history'],
  executions: ['private', 'GET', 'execution/list'],
  positions: ['private', 'GET', 'position/list'],
  balance: ['private', 'GET', 'account/wallet-balance'],
} as const satisfies Record<string, Call>

/** What the wire writes as a number for a perpetual. */
export const PERPETUAL = 4_294_967_295
