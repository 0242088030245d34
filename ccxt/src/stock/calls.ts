import type { Call } from '../venue.ts'

/** The operations of the stock API that the adapter uses (docs/reference/stock-api.md). */
export const CALLS = {
  symbols: ['public', 'GET', 'symbols'],
  config: ['public', 'GET', 'config'],
  price: ['public', 'GET', 'prices/{symbol}'],
  candles: ['public', 'GET', 'prices/{symbol}/history'],
  balance: ['private', 'GET', 'users/{userId}/balance'],
  positions: ['private', 'GET', 'users/{userId}/positions'],
  activities: ['private', 'GET', 'users/{userId}/activities'],
  orders: ['private', 'GET', 'orders'],
  order: ['private', 'GET', 'orders/{orderId}'],
  place: ['private', 'POST', 'orders/send'],
  cancel: ['private', 'DELETE', 'orders/{orderId}/send'],
} as const satisfies Record<string, Call>

/** Free cash at the venue, in which everything is priced: mUSD on chain. */
export const CASH = 'USD'
