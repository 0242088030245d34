import { rowsOf, type Wanted, within } from '../common/pages.ts'
import type { Market, Params, Raw, Venue } from '../venue.ts'
import { CALLS, CASH } from './calls.ts'
import { marketOf } from './market-data.ts'

const SIDES: Readonly<Record<string, string>> = { Buy: 'buy', Sell: 'sell' }
export const STATUSES: Readonly<Record<string, string>> = {
  Init: 'open',
  Pending: 'open',
  New: 'open',
  'Partial filled': 'open',
  Filled: 'closed',
  Canceled: 'canceled',
  Expired: 'expired',
  Rejected: 'rejected',
  Failed: 'rejected',
}
/** In the order in which an order has them: one that goes on between two questions is in the answer to the second. */
const OPEN = ['Pending', 'New', 'Partial filled']
const MOST_ROWS = 100

type List = { readonly rows: Raw[] }

/** Cash and stock at the venue; what the wallet holds itself is not there to trade with. */
export async function fetchBalance(venue: Venue, params: Params = {}) {
  await venue.loadMarkets()
  const userId = venue.walletAddress
  const [answer, positions] = await Promise.all([
    venue.ask<Raw>(CALLS.balance, { userId, ...params }),
    venue.ask<Raw[]>(CALLS.positions, { userId }),
  ])
  const stocks = positions.map((raw) => {
    const [total, used] = [venue.safeString(raw, 'quantity'), venue.safeString(raw, 'lockedQuantity')]
    return [venue.safeString(raw, 'symbol'), { ...venue.account(), total, used }]
  })
  // What open orders hold of the cash is not told.
  const cash = { ...venue.account(), free: venue.safeString(answer, 'mUsdBalance') }
  const balance = { info: { balance: answer, positions }, timestamp: undefined, datetime: undefined }
  return venue.safeBalance({ ...balance, ...Object.fromEntries(stocks), [CASH]: cash })
}

/** An order as lists, details and the stream have it. */
export function parseOrder(venue: Venue, raw: Raw, known?: Market) {
  const detail = (raw.historyOrder ?? raw.openOrder ?? {}) as Raw
  const market = known ?? marketOf(venue, detail.symbol)
  const timestamp = venue.safeTimestamp(detail, 'createdAt')
  const average = venue.safeString(detail, 'avgFillPrice')
  const filled = venue.safeString(detail, 'filledQuantity')
  const status = STATUSES[String(raw.orderStatus)]
  return venue.safeOrder(
    {
      id: venue.safeString(raw, 'orderId'),
      clientOrderId: venue.safeString((raw.mapping ?? {}) as Raw, 'clientOrderId'),
      timestamp,
      datetime: venue.iso8601(timestamp),
      lastUpdateTimestamp: venue.safeTimestamp(detail, 'settledAt', timestamp),
      symbol: market.symbol,
      type: venue.safeStringLower(detail, 'type'),
      timeInForce: venue.safeString(detail, 'timeInForce'),
      side: SIDES[String(detail.side)],
      price: venue.safeString(detail, 'price'),
      // A market buy is placed by its cost: its amount is known when it has ended.
      amount: venue.safeString(detail, 'quantity', status === 'open' ? undefined : filled),
      filled,
      average,
      cost: venue.safeString(detail, 'filledNotional'),
      status,
      fee: { currency: CASH, cost: venue.safeNumber(detail, 'feeAmount') },
      trades: [],
      info: raw,
    } as never,
    market,
  )
}

/** An order by its id; with `params.clientOrderId` by that. Throws OrderNotFound. */
export async function fetchOrder(venue: Venue, id: string | undefined, _symbol?: string, params: Params = {}) {
  await venue.loadMarkets()
  const { clientOrderId, ...more } = params
  if (clientOrderId === undefined) return parseOrder(venue, await venue.ask<Raw>(CALLS.order, { orderId: id, ...more }))
  const [raw] = (await venue.ask<List>(CALLS.orders, { clientOrderId, ...more })).rows
  if (raw?.orderId) return parseOrder(venue, raw)
  throw new venue.ccxt.OrderNotFound(`${venue.id} has no order of the clientOrderId ${clientOrderId}`)
}

type ListArgs = [symbol?: string, since?: number, limit?: number, params?: Params]

/** The newest orders; with `since` the oldest ones from there: by their ends those that have ended. */
async function ordersOf(venue: Venue, status: string | undefined, args: ListArgs) {
  const [symbol, since, limit, params = {}] = args
  await venue.loadMarkets()
  const query = { ...asked(venue, symbol, status), ...params }
  if (since !== undefined) return ordersFrom(venue, query, args, status === undefined ? PLACED : ENDED)
  const rows = isPagedByHand(params)
    ? (await venue.ask<List>(CALLS.orders, { limit: pageOf(limit), ...query })).rows
    : await ordersBy(venue, query, { fits: isOnChain, count: limit ?? MOST_ROWS }, pageOf(limit))
  return parseOrders(venue, rows, args)
}

const pageOf = (limit: number | undefined): number => Math.min(limit ?? MOST_ROWS, MOST_ROWS)
/** An order that is named stands alone. */
const isPagedByHand = ({ page, limit, clientOrderId }: Params): boolean =>
  [page, limit, clientOrderId].some((one) => one !== undefined)
/** What is not on chain yet has no id. */
const isOnChain = ({ orderId }: Raw): boolean => Boolean(orderId)

/** By what orders are in their place. */
interface Time {
  readonly field: string
  /** How much earlier than that an order may have been recorded. */
  readonly recordedBefore: (venue: Venue) => number
}

/** The order is on chain, and has its own second, until its deadline. */
const PLACED: Time = { field: 'timestamp', recordedBefore: ({ options }) => Number(options.deadlineSeconds) }
const ENDED: Time = {
  field: 'lastUpdateTimestamp',
  recordedBefore: (venue) => PLACED.recordedBefore(venue) + Number(venue.options.orderLifeSeconds),
}

/**
 * The oldest orders from a moment on; the venue takes the second of the record. While it is read page by page, an order on a later page may
 * end after one on a page before, which is not there then: it is read twice, and the second time has all until the last of the first.
 */
async function ordersFrom(venue: Venue, query: Params, [symbol, since, limit]: ListArgs, time: Time) {
  const startTime = Math.ceil(Number(since) / 1000) - time.recordedBefore(venue)
  const read = () => ordersBy(venue, { startTime, ...query })
  const told = (rows: readonly Raw[]) => ordersSince(venue, rows, { symbol, since, time: time.field })
  const rows = await read()
  const first = told(rows)
  if (rows.length < MOST_ROWS) return within(first, { since, limit }, time.field)
  const before = Number(first.at(-1)?.[time.field] ?? -1) + 1
  return within(told(await read()), { since, limit, before }, time.field)
}

const asked = (venue: Venue, symbol: string | undefined, status: string | undefined): Params => ({
  ...(symbol === undefined ? {} : { symbol: venue.market(symbol).id }),
  ...(status === undefined ? {} : { status }),
})

interface Told {
  readonly symbol: string | undefined
  readonly since: number | undefined
  /** The field of the time that counts. */
  readonly time: string
}

/** Orders that are on chain, in the order of a time of theirs. */
function ordersSince(venue: Venue, rows: readonly Raw[], { symbol, since, time }: Told): Raw[] {
  const orders = rows.filter(isOnChain).map((raw) => parseOrder(venue, raw))
  const market = symbol === undefined ? undefined : venue.market(symbol).symbol
  return venue.filterByValueSinceLimit(venue.sortBy(orders, time), 'symbol', market, since, undefined, time)
}

const parseOrders = (venue: Venue, rows: readonly Raw[], [symbol, since, limit]: ListArgs) =>
  within(ordersSince(venue, rows, { symbol, since, time: PLACED.field }), { since, limit })

/** The orders that the venue has for a query, however many unless it is said. */
const ordersBy = (venue: Venue, query: Params, wanted: Wanted = {}, size: number = MOST_ROWS): Promise<Raw[]> =>
  rowsOf(
    {
      ask: async (at) => (await venue.ask<List>(CALLS.orders, { ...query, ...at, limit: size })).rows,
      size,
      // What is not on chain yet counts by its record.
      keyOf: ({ orderId, mapping }) => String(orderId ?? (mapping as Raw).id),
      secondOf: ({ mapping }) => Number((mapping as Raw).createdAt),
    },
    { endTime: venue.safeInteger(query, 'endTime'), ...wanted },
  )

/** Every open order: a bot places again what it does not find. */
export async function fetchOpenOrders(venue: Venue, ...args: ListArgs) {
  const [symbol, , , params = {}] = args
  await venue.loadMarkets()
  const orders = new Map<unknown, Raw>()
  for (const status of OPEN) {
    const rows = await ordersBy(venue, { ...asked(venue, symbol, status), ...params })
    for (const raw of rows) orders.set(raw.orderId, raw)
  }
  return parseOrders(venue, [...orders.values()], args)
}

export const fetchOrders = (venue: Venue, ...args: ListArgs) => ordersOf(venue, undefined, args)
export const fetchClosedOrders = (venue: Venue, ...args: ListArgs) => ordersOf(venue, 'Filled', args)
export const fetchCanceledOrders = (venue: Venue, ...args: ListArgs) => ordersOf(venue, 'Canceled', args)

/** The newest fills; with `since` the oldest ones from there. */
export async function fetchMyTrades(venue: Venue, ...[symbol, since, limit, params = {}]: ListArgs) {
  await venue.loadMarkets()
  const query = { type: 'fill', userId: venue.walletAddress, ...params }
  const market = symbol === undefined ? undefined : venue.market(symbol)
  const trades = venue.parseTrades(await fillsFrom(venue, query, market?.id, since, limit), market, since)
  return within(trades, { since, limit })
}

/** The newest fills of a ticker; with `since` all from there. */
async function fillsFrom(venue: Venue, query: Params, ticker: unknown, since?: number, limit?: number) {
  if (since !== undefined) return fillsBy(venue, { startTime: Math.ceil(since / 1000), ...query })
  if (isPagedByHand(query)) return fills(venue, { limit: pageOf(limit), ...query })
  if (ticker === undefined) return fillsBy(venue, query, { count: limit ?? MOST_ROWS }, pageOf(limit))
  // The venue has those of all stocks in one list.
  return fillsBy(venue, query, { fits: ({ symbol }) => symbol === ticker, count: limit ?? MOST_ROWS })
}

const fills = async (venue: Venue, query: Params) => (await venue.ask<List>(CALLS.activities, query)).rows

const fillsBy = (venue: Venue, query: Params, wanted: Wanted = {}, size: number = MOST_ROWS): Promise<Raw[]> =>
  rowsOf(
    {
      ask: (at) => fills(venue, { ...query, ...at, limit: size }),
      size,
      keyOf: ({ id }) => String(id),
      secondOf: ({ timestamp }) => Number(timestamp),
    },
    { endTime: venue.safeInteger(query, 'endTime'), ...wanted },
  )

/** A fill of `users/{userId}/activities`: a settlement may bring an order several that are alike but for their id. */
export function parseTrade(venue: Venue, raw: Raw) {
  const market = marketOf(venue, raw.symbol)
  const timestamp = venue.safeTimestamp(raw, 'timestamp')
  return venue.safeTrade(
    {
      id: venue.safeString(raw, 'id'),
      order: venue.safeString(raw, 'orderId'),
      timestamp,
      datetime: venue.iso8601(timestamp),
      symbol: market.symbol,
      type: undefined,
      side: SIDES[String(raw.side)],
      takerOrMaker: undefined,
      price: venue.safeString(raw, 'price'),
      amount: venue.safeString(raw, 'quantity'),
      cost: venue.safeString(raw, 'amount'),
      fee: { currency: CASH, cost: venue.safeString(raw, 'feeAmount') },
      info: raw,
    } as never,
    market,
  )
}
