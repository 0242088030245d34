import { eventually, sent } from '../common/sending.ts'
import type { Params, Venue } from '../venue.ts'
import { fetchOrder } from './account.ts'
import { CALLS } from './calls.ts'

const SIDES: Readonly<Record<string, string>> = { buy: 'Buy', sell: 'Sell' }
const TYPES: Readonly<Record<string, string>> = { market: 'Market', limit: 'Limit' }

/** Deadlines of sends whose outcome is not known: a repetition has to be the same request. */
const deadlines = new WeakMap<object, Map<string, number>>()

function deadlineOf(venue: Venue, key: string): number {
  const known = deadlines.get(venue) ?? new Map<string, number>()
  deadlines.set(venue, known)
  const deadline = known.get(key) ?? Math.floor(venue.nonce() / 1000) + Number(venue.options.deadlineSeconds)
  known.set(key, deadline)
  return deadline
}

/**
 * Sends an order and answers when it is on chain; the broker fills it from then on. A market buy is placed by what it may cost:
 * `params.cost`, or amount times price. `params`: clientOrderId (the key under which a repetition does nothing twice), deadline
 * (Unix seconds; a repetition by another process has to give the same).
 */
export async function createOrder(
  venue: Venue,
  symbol: string,
  type: string,
  side: string,
  amount: number | string | undefined,
  price?: number | string,
  params: Params = {},
) {
  await venue.loadMarkets()
  const market = venue.market(symbol)
  if (!TYPES[type])
    throw new venue.ccxt.InvalidOrder(`${venue.id} has orders of the types market and limit, not ${type}`)
  if (!SIDES[side]) throw new venue.ccxt.InvalidOrder(`${venue.id} takes buy or sell, not ${side}`)
  const inForce = venue.safeStringUpper(params, 'timeInForce', 'DAY')
  if (inForce !== 'DAY') throw new venue.ccxt.InvalidOrder(`${venue.id} has orders of the day alone, not ${inForce}`)
  const key = venue.safeString(params, 'clientOrderId') ?? venue.uuid()
  const body = {
    stockAddress: market.info.contractAddress,
    side: SIDES[side],
    type: TYPES[type],
    ...sizeOf(venue, { type, side, amount, price, cost: params.cost }),
    deadline: venue.safeInteger(params, 'deadline') ?? deadlineOf(venue, key),
    clientOrderId: key,
    ...venue.omit(params, ['clientOrderId', 'timeInForce', 'cost', 'deadline']),
  }
  const answer = await sent(venue, { what: 'createOrder', call: CALLS.place, body, key }).catch((error) => {
    if (!(error instanceof venue.ccxt.RequestTimeout)) deadlines.get(venue)?.delete(key)
    throw error
  })
  deadlines.get(venue)?.delete(key)
  const placed = await eventually(venue, () => fetchOrder(venue, String(answer.orderId)))
  return (
    placed ?? venue.safeOrder({ id: answer.orderId, clientOrderId: key, status: 'open', info: answer } as never, market)
  )
}

interface Wish {
  readonly type: string
  readonly side: string
  readonly amount: number | string | undefined
  readonly price: number | string | undefined
  readonly cost: unknown
}

function sizeOf(venue: Venue, { type, side, amount, price, cost }: Wish): Params {
  const text = (value: unknown) => venue.numberToString(value as number)
  if (type === 'market' && side === 'buy') {
    if (cost !== undefined) return { notional: text(cost) }
    if (amount !== undefined && price !== undefined) {
      return { notional: venue.ccxt.Precise.stringMul(text(amount), text(price)) }
    }
    throw new venue.ccxt.InvalidOrder(`${venue.id} places a market buy by its cost: give params.cost, or a price`)
  }
  if (amount === undefined) throw new venue.ccxt.ArgumentsRequired(`${venue.id} createOrder() requires an amount`)
  if (type === 'market') return { quantity: text(amount) }
  if (price === undefined) throw new venue.ccxt.ArgumentsRequired(`${venue.id} createOrder() requires a price`)
  return { quantity: text(amount), price: text(price), timeInForce: 'DAY' }
}

export const createMarketBuyOrderWithCost = (venue: Venue, symbol: string, cost: number, params: Params = {}) =>
  createOrder(venue, symbol, 'market', 'buy', undefined, undefined, { ...params, cost })

/** Answers when the request is on chain; the order ends when the broker has answered it. */
export async function cancelOrder(venue: Venue, id: string, _symbol?: string, params: Params = {}) {
  await venue.loadMarkets()
  const { clientOrderId: key = venue.uuid(), ...rest } = params
  await sent(venue, { what: 'cancelOrder', call: CALLS.cancel, body: { orderId: id, ...rest }, key: String(key) })
  return fetchOrder(venue, id)
}
