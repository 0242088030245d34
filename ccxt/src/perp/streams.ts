import type { Channel, Market, Params, Raw, Venue } from '../venue.ts'
import { PERPETUAL } from './calls.ts'
import { bookOf, isOfMarket, marketAt, marketOf, parseOHLCV } from './market-data.ts'
import { readOrders, type ToldOrder } from './orders-told.ts'
import { parsePosition, parseTrade } from './records.ts'

// The perpetual stream (docs/perp-streams.md) as ccxt's watch operations.

export const STREAM_PATH = '/v4/public/ws'
const MOST_WAITING = 1000

/** How a record of a wallet's channel is told, by the channel. */
const PRIVATE: Readonly<Record<string, (venue: Venue, raw: Raw) => { symbol?: unknown }>> = {
  orders: (venue, raw): ToldOrder => ({ symbol: marketOf(venue, raw).symbol, raw }),
  executions: (venue, raw) => parseTrade(venue, raw) as never,
  positions: (venue, raw) => parsePosition(venue, raw) as never,
}

/** Subscriptions in the order of their ids, which begin at 1, by which the venue answers them. */
const asked = new WeakMap<object, string[]>()
/** Those that it has accepted. */
const accepted = new WeakMap<object, Set<string>>()
/** The trades that were told last, by market. */
const toldTrades = new WeakMap<object, Map<string, Set<string>>>()
/** How what the venue says begins when it has failed itself, or is asked too often. */
const PASSING = ['internal error', 'too many requests']

function request(venue: Venue, subscription: string, params: Params): Params {
  const known = asked.get(venue) ?? []
  asked.set(venue, known)
  if (!known.includes(subscription)) known.push(subscription)
  const chainId = Number(venue.options.chainId)
  return { id: known.indexOf(subscription) + 1, method: 'SUBSCRIBE', params: { chainId, ...params } }
}

const pairOf = ({ info }: Market) => ({ instrument: (info as Raw).instrumentAddress, expiry: PERPETUAL })

async function marketFor(venue: Venue, symbol: string): Promise<Market> {
  await venue.loadMarkets()
  return venue.market(symbol)
}

/** The newest book; `limit` levels of each side. */
async function watchOrderBook(venue: Venue, symbol: string, limit?: number) {
  const market = await marketFor(venue, symbol)
  const hash = `orderBook:${market.symbol}`
  const message = request(venue, hash, { type: 'orderBook', ...pairOf(market) })
  const [books] = await venue.follow<Raw>({ hash, subscription: hash, message, keep: 1 })
  return bookOf(venue, market.symbol, books as Raw, { limit })
}

async function watchTrades(venue: Venue, symbol: string, since?: number, limit?: number) {
  const market = await marketFor(venue, symbol)
  const hash = `trades:${market.symbol}`
  const { instrument, expiry } = pairOf(market)
  const message = request(venue, hash, { type: 'trades', pairs: [`${instrument}_${expiry}`], tradesLimit: 100 })
  const trades = await venue.follow<object>({ hash, subscription: hash, message, keep: MOST_WAITING })
  return venue.filterBySinceLimit(trades, since, limit, 'timestamp', true)
}

async function watchOHLCV(venue: Venue, symbol: string, timeframe = '1m', since?: number, limit?: number) {
  const market = await marketFor(venue, symbol)
  const interval = venue.safeString(venue.timeframes, timeframe, timeframe)
  const hash = `kline:${market.symbol}:${interval}`
  const message = request(venue, hash, { type: 'kline', interval, ...pairOf(market) })
  const candles = await venue.follow<object>({ hash, subscription: hash, message, keep: MOST_WAITING })
  return venue.filterBySinceLimit(candles, since, limit, 0, true)
}

/** What comes of a wallet's channel; the first answer is what there is, the newest 200 records. */
async function watchChannel(
  venue: Venue,
  type: string,
  symbol: string | undefined,
  read?: Channel<object>['read'],
): Promise<object[]> {
  venue.checkRequiredCredentials()
  await venue.loadMarkets()
  const name = symbol === undefined ? type : `${type}:${venue.market(symbol).symbol}`
  const from = venue.sequences.get(type)
  const message = request(venue, type, { type, ...(from === undefined ? {} : { from }) })
  return venue.follow<object>({ hash: name, subscription: type, message, keep: MOST_WAITING, ...(read && { read }) })
}

async function watchOrders(venue: Venue, symbol?: string, since?: number, limit?: number) {
  const orders = await watchChannel(venue, 'orders', symbol, (told: ToldOrder[]) => readOrders(venue, told))
  return venue.filterBySinceLimit(orders, since, limit, 'lastUpdateTimestamp', true)
}

async function watchMyTrades(venue: Venue, symbol?: string, since?: number, limit?: number) {
  return venue.filterBySinceLimit(await watchChannel(venue, 'executions', symbol), since, limit, 'timestamp', true)
}

async function watchPositions(venue: Venue, symbols?: string[]) {
  const positions = (await watchChannel(venue, 'positions', undefined)) as { symbol: string }[]
  const wanted = venue.marketSymbols(symbols)
  return wanted === undefined ? positions : positions.filter(({ symbol }) => wanted.includes(symbol))
}

export const WATCHES = { watchOrderBook, watchTrades, watchOHLCV, watchOrders, watchMyTrades, watchPositions }

/** Takes a message of the stream. Throws where something of a wallet's channel was missed. */
export function receive(venue: Venue, message: Raw, fail: (hash: string, error: Error) => void): void {
  if (message.result !== undefined) answered(venue, message, fail)
  const stream = String(message.stream)
  if (PRIVATE[stream]) {
    privateMessage(venue, stream, message)
    return
  }
  const market = message.instrument === undefined ? undefined : marketAt(venue, String(message.instrument))
  if (!market) return
  if (stream === 'orderBook') venue.deliver(`orderBook:${market.symbol}`, [message.data])
  if (stream === 'kline') candle(venue, market, message.data as Raw)
  if (stream === 'trades') {
    const trades = untold(venue, market, message.data as Raw[])
    venue.deliver(
      `trades:${market.symbol}`,
      trades.map((raw) => parseTrade(venue, { ...raw, typeString: undefined }, market)),
    )
  }
}

/** After a cut the venue begins with its newest trades, some of which were told before it. */
function untold(venue: Venue, { symbol }: Market, trades: readonly Raw[]): Raw[] {
  const ofMarkets = toldTrades.get(venue) ?? new Map<string, Set<string>>()
  toldTrades.set(venue, ofMarkets)
  const told = ofMarkets.get(symbol) ?? new Set()
  ofMarkets.set(symbol, told)
  // A reorganisation may put a transaction on chain again, at another price.
  const keyOf = ({ id, price, size }: Raw) => `${id} ${price} ${size}`
  const news = trades.filter((raw) => !told.has(keyOf(raw)))
  for (const raw of news) told.add(keyOf(raw))
  for (const key of [...told].slice(0, -MOST_WAITING)) told.delete(key)
  return news
}

function candle(venue: Venue, market: Market, data: Raw): void {
  venue.deliver(`kline:${market.symbol}:${data.interval}`, [parseOHLCV(venue, data)])
}

/** What was accepted, and then could not be read, may be followed by the next call; what is refused stays so. */
function answered(venue: Venue, { id, result }: Raw, fail: (hash: string, error: Error) => void): void {
  if (id === null) throw new venue.ccxt.NetworkError(`${venue.id} a channel is followed no more: ${result}`)
  const subscription = asked.get(venue)?.[Number(id) - 1]
  if (subscription === undefined) return
  const known = accepted.get(venue) ?? new Set()
  accepted.set(venue, known)
  if (result === 'success') {
    known.add(subscription)
    return
  }
  const mayPass = known.delete(subscription) || PASSING.some((beginning) => String(result).startsWith(beginning))
  const name = mayPass ? 'ExchangeNotAvailable' : 'BadRequest'
  fail(subscription, new venue.ccxt[name](`${venue.id} ${subscription}: ${result}`))
}

function privateMessage(venue: Venue, stream: string, message: Raw): void {
  if (message.event === 'resumed') return
  const sequence = Number(message.sequence)
  const last = venue.sequences.get(stream)
  if (message.event === 'snapshot') {
    venue.sequences.set(stream, sequence)
    // The newest come first.
    tell(venue, stream, (message.data as Raw[]).map(({ data }) => data as Raw).reverse())
    return
  }
  if (last !== undefined && sequence <= last) return
  if (last === undefined || Number(message.previous) !== last) {
    venue.sequences.delete(stream)
    throw new venue.ccxt.NetworkError(`${venue.id} ${stream}: the messages after ${last} are missing`)
  }
  venue.sequences.set(stream, sequence)
  tell(venue, stream, [message.data === null ? removed(venue, stream, message) : (message.data as Raw)])
}

/** A closed position is told as one of no contracts; of other records there is nothing to tell. */
function removed(venue: Venue, stream: string, { key }: Raw): Raw | undefined {
  const [instrumentAddr = '', expiry] = String(key).split('_')
  const market = stream === 'positions' ? marketAt(venue, instrumentAddr) : undefined
  return market && { symbol: market.id, instrumentAddr, expiry, size: '0', side: '2', balance: '0', entryPrice: '0' }
}

function tell(venue: Venue, stream: string, records: readonly (Raw | undefined)[]): void {
  const ofMarkets = records.flatMap((raw) => (raw && isOfMarket(venue, raw) ? [raw] : []))
  const items = ofMarkets.map((raw) => ({ raw, item: PRIVATE[stream]?.(venue, raw) }))
  venue.deliver(
    stream,
    items.map(({ item }) => item),
  )
  for (const symbol of new Set(items.map(({ raw }) => marketOf(venue, raw).symbol))) {
    venue.deliver(
      `${stream}:${symbol}`,
      items.flatMap(({ item }) => (item?.symbol === symbol ? [item] : [])),
    )
  }
}
