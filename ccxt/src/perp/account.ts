import { type PagedList, rowsOf, type Wanted, within } from '../common/pages.ts'
import type { Call, Params, Raw, Venue } from '../venue.ts'
import { CALLS, PERPETUAL } from './calls.ts'
import { isOfMarket } from './market-data.ts'
import { endedOrder, endStatus, marketOrder, order } from './records.ts'
import { wad } from './units.ts'

// Reads of what the wallet of the API key has and did. The venue's lists have dated pairs too, and every instrument.

type List = { readonly list: Raw[] }
type Block = { readonly timestamp: string }
type ListArgs = [symbol?: string, since?: number, limit?: number, params?: Params]

const MOST_ROWS = 200
/** What a list has without a limit, as the venue's do. */
const DEFAULT_ROWS = 50

export async function fetchBalance(venue: Venue, params: Params = {}) {
  await venue.loadMarkets()
  const answer = await venue.ask<Raw>(CALLS.balance, params)
  const accounts = (answer.portfolios as Raw[]).map((raw) => {
    const free = wad(venue, raw, 'balance')
    const used = wad(venue, raw, 'reservedBalance')
    return [venue.safeCurrencyCode(venue.safeString(raw, 'symbol')), { ...venue.account(), free, used }]
  })
  return venue.safeBalance({ info: answer, timestamp: undefined, datetime: undefined, ...Object.fromEntries(accounts) })
}

export async function fetchPositions(venue: Venue, symbols?: string[], params: Params = {}) {
  await venue.loadMarkets()
  const positions = await venue.ask<Raw[]>(CALLS.positions, params)
  const ofMarkets = positions.filter((raw) => isOfMarket(venue, raw))
  return venue.parsePositions(ofMarkets, venue.marketSymbols(symbols))
}

/** The position in a market; one of no contracts where there is none. */
export async function fetchPosition(venue: Venue, symbol: string, params: Params = {}) {
  await venue.loadMarkets()
  const market = venue.market(symbol)
  const [position] = await fetchPositions(venue, [market.symbol], params)
  return position ?? venue.safePosition({ symbol: market.symbol, contracts: 0, contractSize: 1, info: {} } as never)
}

export async function fetchOpenOrders(
  venue: Venue,
  symbol?: string,
  since?: number,
  limit?: number,
  params: Params = {},
) {
  await venue.loadMarkets()
  const market = symbol === undefined ? undefined : venue.market(symbol)
  const rows = await venue.ask<Raw[]>(CALLS.openOrders, { ...(market ? { symbol: market.id } : {}), ...params })
  const ofMarkets = rows.filter((raw) => isOfMarket(venue, raw))
  const orders = ofMarkets.map((raw) => order(venue, raw, true)).filter(({ status }) => status === 'open')
  const told = venue.filterBySymbolSinceLimit(venue.sortBy(orders, 'timestamp'), market?.symbol, since)
  return within(told, { since, limit })
}

/**
 * Limit orders that have ended, and market orders: those that ended last; with `since` those that ended first from there, in the order of
 * their ends. A limit order may have been placed before.
 */
export const fetchCanceledAndClosedOrders = (venue: Venue, ...args: ListArgs) => endedOrders(venue, args)
export const fetchClosedOrders = (venue: Venue, ...args: ListArgs) => endedOrders(venue, args, 'closed')
export const fetchCanceledOrders = (venue: Venue, ...args: ListArgs) => endedOrders(venue, args, 'canceled')

async function endedOrders(venue: Venue, args: ListArgs, status?: string) {
  const [symbol, since, limit] = args
  await venue.loadMarkets()
  const hasStatus = status === undefined ? undefined : (raw: Raw) => endStatus(raw) === status
  const ended = await recordsOf(venue, ENDED, args, { fits: hasStatus })
  const executed = status === 'canceled' ? NONE : await marketOrders(venue, args, ended.rows)
  const orders = [
    ...ended.rows.map((raw) => endedOrder(venue, raw)),
    ...executed.rows.map((raw) => marketOrder(venue, raw)),
  ]
  const market = symbol === undefined ? undefined : venue.market(symbol)
  const told = venue.filterBySymbolSinceLimit(venue.sortBy(orders, 'lastUpdateTimestamp'), market?.symbol)
  // Of the two lists one may be of an older block, in which what the other has later is missing.
  const before = Math.min(ended.before, executed.before)
  const some = within(told, { since, limit, before }, 'lastUpdateTimestamp')
  return since === undefined ? venue.sortBy(some, 'timestamp') : some
}

/** Executions of market orders. Where there are ended orders enough, none before these: a maker has ever so many others. */
function marketOrders(venue: Venue, args: ListArgs, ended: readonly Raw[]): Promise<Read> {
  const [, since, limit = DEFAULT_ROWS, params = {}] = args
  const oldest = ended.at(-1)
  const isBounded = since === undefined && !isPagedByHand(params) && ended.length >= limit
  const startTime = isBounded && oldest ? ENDED.secondOf(oldest) : undefined
  return recordsOf(venue, EXECUTED, args, { fits: isMarketOrder, startTime })
}

const isMarketOrder = ({ typeString }: Raw): boolean => typeString === 'market'

/** A list of the wallet's records, newest first. */
type RecordList = Pick<PagedList, 'keyOf' | 'secondOf'> & { readonly call: Call }

const ENDED: RecordList = {
  call: CALLS.endedOrders,
  keyOf: ({ id }) => String(id),
  secondOf: ({ cancelTimestamp, fillTimestamp }) => Math.max(Number(cancelTimestamp), Number(fillTimestamp)),
}
const EXECUTED: RecordList = {
  call: CALLS.executions,
  keyOf: ({ id }) => String(id),
  secondOf: ({ timestamp }) => Number(timestamp),
}

/** Rows of a list. */
interface Read {
  readonly rows: readonly Raw[]
  /** Unix milliseconds from which on there may be others, by the blocks of the answers. */
  readonly before: number
}

const NONE: Read = { rows: [], before: Number.POSITIVE_INFINITY }

const isPagedByHand = ({ page, size }: Params): boolean => page !== undefined || size !== undefined

/** The newest rows of a list that fit, as many as are asked for where there are; with `since` every one from there. */
async function recordsOf(
  venue: Venue,
  { call, ...list }: RecordList,
  [symbol, since, limit = DEFAULT_ROWS, params = {}]: ListArgs,
  { fits, startTime }: { readonly fits?: Wanted['fits']; readonly startTime?: number | undefined } = {},
): Promise<Read> {
  const pair = symbol === undefined ? { expiry: PERPETUAL } : { symbol: venue.market(symbol).id }
  const isWanted = (raw: Raw) => isOfMarket(venue, raw) && (fits?.(raw) ?? true)
  const query: Params = { ...pair, ...(startTime === undefined ? {} : { startTime }), ...params }
  const { ask, before } = asking(venue, call)
  const isNewest = since === undefined
  if (isNewest && isPagedByHand(params)) {
    const page = await ask({ size: limit, ...query })
    return { rows: page.filter(isWanted), before: before() }
  }
  const from = isNewest ? query : { startTime: Math.ceil(since / 1000), ...query }
  const size = isNewest && !fits ? Math.min(limit, MOST_ROWS) : MOST_ROWS
  const pages = { ...list, size, ask: (at: Params) => ask({ ...from, ...at, size }) }
  const endTime = venue.safeInteger(query, 'endTime')
  const rows = await rowsOf(pages, { endTime, fits: isWanted, count: isNewest ? limit : undefined })
  return { rows, before: before() }
}

/** Asks for pages of a list. Of the blocks that they are of the oldest counts: processes of the venue may differ by some. */
function asking(venue: Venue, call: Call) {
  let oldestSec = Number.POSITIVE_INFINITY
  return {
    async ask(query: Params): Promise<Raw[]> {
      const { data, blockInfo } = await venue.answer(call, query)
      if (blockInfo) oldestSec = Math.min(oldestSec, Number((blockInfo as Block).timestamp))
      return (data as List).list
    },
    // That block's own second may have more blocks.
    before: (): number => oldestSec * 1000,
  }
}

/** The newest executions; with `since` the oldest ones from there. */
export async function fetchMyTrades(venue: Venue, ...args: ListArgs) {
  const [symbol, since, limit] = args
  await venue.loadMarkets()
  const market = symbol === undefined ? undefined : venue.market(symbol)
  const { rows, before } = await recordsOf(venue, EXECUTED, args)
  return within(venue.parseTrades([...rows], market, since), { since, limit, before })
}

const HASH = /^0x[0-9a-f]{64}$/

/** An order of a market by its id, or by the hash of the transaction that placed it. Throws OrderNotFound. */
export async function fetchOrder(venue: Venue, id: string, symbol?: string, params: Params = {}) {
  await venue.loadMarkets()
  if (HASH.test(id)) {
    const found = await orderOfTransaction(venue, id, symbol)
    if (found) return found
    throw new venue.ccxt.OrderNotFound(`${venue.id} has no order of the transaction ${id}`)
  }
  const ask = () => venue.ask<Raw>(CALLS.order, { orderId: id, ...params })
  const raw = await ask()
  if (!isOfMarket(venue, raw)) throw new venue.ccxt.OrderNotFound(`${venue.id} has order ${id} of another pair`)
  if (raw.status !== 'partial_filled') return order(venue, raw, false)
  // Of an order that is open it means that it goes on, of one that has ended that it was cancelled.
  if (await isListed(venue, id)) return order(venue, raw, true)
  // It may have ended, by whatever, between the two answers.
  return order(venue, await ask(), false)
}

async function isListed(venue: Venue, id: string): Promise<boolean> {
  return (await venue.ask<Raw[]>(CALLS.openOrders)).some(({ orderId }) => String(orderId) === id)
}

/** What a transaction placed or executed; what rests of it where both. Undefined where nothing is known of it. */
export async function orderOfTransaction(venue: Venue, hash: string, symbol?: string) {
  const query = symbol === undefined ? { expiry: PERPETUAL } : { symbol: venue.market(symbol).id }
  const findIn = (rows: readonly Raw[], is: (raw: Raw) => boolean) =>
    rows.find((raw) => is(raw) && isOfMarket(venue, raw))
  // First: where the block is known by then, the later answers have what rests of the order, or how that has ended.
  const { list: executions } = await venue.ask<List>(CALLS.executions, query)
  const executed = findIn(executions, (raw) => raw.txHash === hash && isMarketOrder(raw))
  const open = await venue.ask<Raw[]>(CALLS.openOrders, query)
  const resting = findIn(open, (raw) => raw.lastUpdateTxHash === hash)
  if (resting) return order(venue, resting, true)
  const { list: ended } = await venue.ask<List>(CALLS.endedOrders, query)
  const over = findIn(ended, (raw) => raw.placeTxHash === hash)
  if (over) return endedOrder(venue, over)
  return executed && marketOrder(venue, executed)
}
