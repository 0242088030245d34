import { eventually, type Sent, sent } from '../common/sending.ts'
import type { Call, Market, Params, Raw, Venue } from '../venue.ts'
import { fetchOrder, orderOfTransaction } from './account.ts'
import { CALLS, PERPETUAL } from './calls.ts'
import { endedOrder, order } from './records.ts'

const SIDES: Readonly<Record<string, number>> = { sell: 1, buy: 2 }

/** What an order of each type is sent with, beside what all have; from ccxt's params, or the exchange's options. */
const TYPES = {
  market: {
    call: CALLS.placeMarket,
    fields: (venue: Venue, params: Params, _price: unknown): Params => ({
      slippageBps: venue.safeInteger(params, 'slippageBps', venue.safeInteger(venue.options, 'slippageBps')),
      ...(params.reduceOnly === undefined ? {} : { reduceOnly: params.reduceOnly }),
    }),
    taken: ['slippageBps', 'reduceOnly'],
  },
  limit: {
    call: CALLS.placeLimit,
    fields: (venue: Venue, params: Params, price: unknown): Params => {
      if (price === undefined) throw new venue.ccxt.ArgumentsRequired(`${venue.id} createOrder() requires a price`)
      if (params.reduceOnly) throw new venue.ccxt.InvalidOrder(`${venue.id} has reduceOnly for market orders alone`)
      return {
        price: venue.numberToString(price as number),
        ...(params.postOnly === undefined ? {} : { postOnly: params.postOnly }),
      }
    },
    taken: ['postOnly', 'reduceOnly', 'timeInForce'],
  },
} as const

/**
 * Sends an order and answers when it is on chain: what is executed of it, or rests. `params`: clientOrderId (the key under which a
 * repetition does nothing twice), leverage, slippageBps and reduceOnly of a market order, postOnly of a limit order.
 */
export async function createOrder(
  venue: Venue,
  symbol: string,
  type: string,
  side: string,
  amount: number | string,
  price?: number | string,
  params: Params = {},
) {
  await venue.loadMarkets()
  const market = venue.market(symbol)
  const kind = TYPES[type as keyof typeof TYPES]
  if (!kind) throw new venue.ccxt.InvalidOrder(`${venue.id} has orders of the types market and limit, not ${type}`)
  if (SIDES[side] === undefined) throw new venue.ccxt.InvalidOrder(`${venue.id} takes buy or sell, not ${side}`)
  const inForce = venue.safeStringUpper(params, 'timeInForce', 'GTC')
  if (type === 'limit' && inForce !== 'GTC' && inForce !== 'PO')
    throw new venue.ccxt.InvalidOrder(`${venue.id} has limit orders until they are cancelled alone, not ${inForce}`)
  const [key, rest] = keyOf(venue, params)
  const terms = inForce === 'PO' ? { ...rest, postOnly: true } : rest
  const body = {
    ...pair(market),
    size: venue.numberToString(amount as number),
    side: SIDES[side],
    leverage: venue.safeString(rest, 'leverage', venue.safeString(venue.options, 'leverage')),
    ...kind.fields(venue, terms, price),
    ...venue.omit(rest, ['leverage', ...kind.taken]),
  }
  const { txHash } = await sent(venue, { what: 'createOrder', call: kind.call, body, key })
  const placed = await eventually(venue, () => orderOfTransaction(venue, String(txHash), market.symbol))
  const known = { id: txHash, symbol: market.symbol, type, side, amount, price, status: 'open', info: { txHash } }
  return { ...(placed ?? venue.safeOrder(known as never, market)), clientOrderId: key }
}

const pair = (market: Market) => ({ instrument: market.id, expiry: PERPETUAL })

/** The key of a send, and what else there is. */
function keyOf(venue: Venue, params: Params): [string, Params] {
  const key = venue.safeString(params, 'clientOrderId') ?? venue.uuid()
  return [key, venue.omit(params, ['clientOrderId'])]
}

function requireSymbol(venue: Venue, method: string, symbol: string | undefined): Market {
  if (symbol !== undefined) return venue.market(symbol)
  throw new venue.ccxt.ArgumentsRequired(`${venue.id} ${method}() requires a symbol`)
}

async function sendFor(venue: Venue, what: string, call: Call, body: Params, params: Params): Promise<Sent> {
  const [key, rest] = keyOf(venue, params)
  return sent(venue, { what, call, body: { ...body, ...rest }, key })
}

/**
 * Answers when the cancel is on chain. What of the order was taken before becomes a position. `status` is undefined where the venue cannot
 * tell in time how it ended.
 */
export async function cancelOrder(venue: Venue, id: string, symbol?: string, params: Params = {}) {
  await venue.loadMarkets()
  const market = requireSymbol(venue, 'cancelOrder', symbol)
  const orderId = id.startsWith('0x') ? String((await fetchOrder(venue, id, symbol)).id) : id
  await sendFor(venue, 'cancelOrder', CALLS.cancel, { ...pair(market), orderId }, params)
  const ended = await eventually(venue, async () => {
    const found = (await fetchOrder(venue, orderId)) as unknown as Raw
    return found.status === 'open' ? undefined : found
  })
  return ended ?? venue.safeOrder({ id: orderId, symbol: market.symbol, info: {} } as never, market)
}

/**
 * Cancels every order of the wallet in a market, in one transaction, and answers how each has ended: what was taken before is a position,
 * and an order that was taken whole is closed. `status` is undefined where the venue cannot tell in time.
 */
export async function cancelAllOrders(venue: Venue, symbol?: string, params: Params = {}) {
  await venue.loadMarkets()
  const market = requireSymbol(venue, 'cancelAllOrders', symbol)
  const open = await venue.ask<Raw[]>(CALLS.openOrders, { symbol: market.id })
  if (open.length === 0) return []
  await sendFor(venue, 'cancelAllOrders', CALLS.cancelMany, { ...pair(market), all: true }, params)
  const ended = await endsOf(venue, market, open)
  return open.map((raw) => {
    const end = ended.get(String(raw.orderId))
    return end ? endedOrder(venue, end, market) : { ...order(venue, raw, true, market), status: undefined }
  })
}

/** The largest page of `order/history`. */
const LARGEST_PAGE = 200

/** How these orders have ended, by their id: those of which the venue can tell while a send may take. */
async function endsOf(venue: Venue, market: Market, orders: readonly Raw[]): Promise<ReadonlyMap<string, Raw>> {
  const wanted = new Set(orders.map(({ orderId }) => String(orderId)))
  const found = new Map<string, Raw>()
  // They have ended last of all, but for a few others meanwhile.
  const pages = Math.ceil(wanted.size / LARGEST_PAGE) + 1
  await eventually(venue, async () => {
    for (let page = 1; page <= pages && found.size < wanted.size; page += 1) {
      const query = { symbol: market.id, page, size: LARGEST_PAGE }
      const { list } = await venue.ask<{ list: Raw[] }>(CALLS.endedOrders, query)
      for (const raw of list) if (wanted.has(String(raw.id))) found.set(String(raw.id), raw)
      if (list.length < LARGEST_PAGE) break
    }
    return found.size === wanted.size || undefined
  })
  return found
}

/** Closes the position in a market at the market, all of it or `params.size`. */
export async function closePosition(venue: Venue, symbol: string, _side?: string, params: Params = {}) {
  await venue.loadMarkets()
  const market = venue.market(symbol)
  const slippageBps = venue.safeInteger(venue.options, 'slippageBps')
  const { txHash } = await sendFor(venue, 'closePosition', CALLS.close, { ...pair(market), slippageBps }, params)
  const closed = await eventually(venue, () => orderOfTransaction(venue, String(txHash), market.symbol))
  return closed ?? venue.safeOrder({ id: txHash, symbol: market.symbol, status: 'open', info: {} } as never, market)
}
