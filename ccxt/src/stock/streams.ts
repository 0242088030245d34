import type { Params, Raw, Venue } from '../venue.ts'
import { parseOrder } from './account.ts'
import { marketOf, parseOHLCV, parseTicker } from './market-data.ts'

// The stock stream (docs/streams.md) as ccxt's watch operations.

export const STREAM_PATH = '/api/v1/stream'
const MOST_WAITING = 1000

const request = (channel: string, more: Params = {}): Params => ({ op: 'subscribe', channel, ...more })

async function watchTicker(venue: Venue, symbol: string) {
  await venue.loadMarkets()
  const channel = `quotes:${venue.market(symbol).id}`
  const [ticker] = await venue.follow({ hash: channel, subscription: channel, message: request(channel), keep: 1 })
  return ticker
}

async function watchOHLCV(venue: Venue, symbol: string, timeframe = '1m', since?: number, limit?: number) {
  await venue.loadMarkets()
  const channel = `candles:${venue.market(symbol).id}:${venue.safeString(venue.timeframes, timeframe, timeframe)}`
  const following = { hash: channel, subscription: channel, message: request(channel), keep: MOST_WAITING }
  return venue.filterBySinceLimit(await venue.follow<object>(following), since, limit, 0, true)
}

/** Orders as they change; the first answer is what there is, the newest 200. */
async function watchOrders(venue: Venue, symbol?: string, since?: number, limit?: number) {
  venue.checkRequiredCredentials()
  await venue.loadMarkets()
  const hash = symbol === undefined ? 'orders' : `orders:${venue.market(symbol).symbol}`
  const from = venue.sequences.get('orders')
  const message = request('orders', from === undefined ? {} : { from })
  const orders = await venue.follow<object>({ hash, subscription: 'orders', message, keep: MOST_WAITING })
  return venue.filterBySinceLimit(orders, since, limit, 'timestamp', true)
}

export const WATCHES = { watchTicker, watchOHLCV, watchOrders }

/** Takes a message of the stream. Throws where something of the orders was missed. */
export function receive(venue: Venue, message: Raw, fail: (hash: string, error: Error) => void): void {
  const channel = String(message.channel)
  if (message.type === 'error') {
    // What the venue itself could not read may be followed by the next call; what it refuses stays so.
    const mayPass = ['internal_error', 'rate_limited'].includes(String(message.reason))
    const name = mayPass ? 'ExchangeNotAvailable' : 'BadRequest'
    fail(channel, new venue.ccxt[name](`${venue.id} ${channel}: ${message.reason}: ${message.message}`))
  }
  if (message.type !== 'snapshot' && message.type !== 'delta') return
  const [kind, ticker] = channel.split(':')
  if (kind === 'orders') orders(venue, message)
  if (kind === 'quotes') venue.deliver(channel, [parseTicker(venue, message.data as Raw, marketOf(venue, ticker))])
  if (kind === 'candles') {
    venue.deliver(
      channel,
      (message.data as Raw[]).map((bar) => parseOHLCV(venue, bar)),
    )
  }
}

function orders(venue: Venue, message: Raw): void {
  const sequence = Number(message.sequence)
  const last = venue.sequences.get('orders')
  if (message.type === 'delta') {
    if (last !== undefined && sequence <= last) return
    if (last === undefined || Number(message.previous) !== last) {
      venue.sequences.delete('orders')
      throw new venue.ccxt.NetworkError(`${venue.id} orders: the messages after ${last} are missing`)
    }
  }
  venue.sequences.set('orders', sequence)
  // The newest come first. One that a reorganisation has ended has nothing to tell; what is not on chain yet has no id.
  const rows = message.type === 'delta' ? [message.data] : (message.data as Raw[]).map(({ data }) => data).reverse()
  const told = rows.flatMap((raw) => ((raw as Raw | null)?.orderId ? [parseOrder(venue, raw as Raw)] : []))
  venue.deliver('orders', told)
  for (const one of told) venue.deliver(`orders:${one.symbol}`, [one])
}
