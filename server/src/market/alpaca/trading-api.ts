import type { Logger } from '../../lib/logger.ts'
import type { BrokerOrderRequest, BrokerPosition, Execution } from '../ports.ts'
import { orderBody, readOrder, readSide, type WireOrder } from './order-wire.ts'
import { AlpacaRefusal, type AlpacaRest } from './rest.ts'
import { asList, asObject, decimal, text, time, type WireObject } from './wire.ts'

const ORDER_PAGE = 500
const ACTIVITY_PAGE = 100

/** A fill of the account; whose order it was is known by the broker's id of the order alone. */
export interface Fill extends Omit<Execution, 'clientOrderId'> {
  readonly brokerOrderId: string
}

/** The part of Alpaca's Trading API that the venue uses. Throws as `AlpacaRest` does, and `broker_answer_invalid`. */
export interface TradingApi {
  accountId(): Promise<string>
  /** One attempt; see `AlpacaRest.post`. */
  place(order: BrokerOrderRequest, fractionalEhEnabled: boolean): Promise<WireOrder>
  /** Null when the broker has none under the venue's id. */
  findByClientOrderId(clientOrderId: string): Promise<WireOrder | null>
  /** As it came; null when the broker does not know it. */
  order(brokerOrderId: string): Promise<WireObject | null>
  /** A cancel that comes too late changes nothing. */
  cancel(brokerOrderId: string): Promise<void>
  /** Every open order of the account. One that is no plain order of shares is logged and left out. */
  openOrders(): Promise<readonly WireOrder[]>
  /** The account's fills after an instant (Unix ms; null: from the beginning), oldest first, page by page. */
  fills(afterMs: number | null): AsyncGenerator<readonly Fill[]>
  positions(): Promise<readonly BrokerPosition[]>
}

export function tradingApi(rest: AlpacaRest, tradingUrl: string, log: Logger): TradingApi {
  const orders = `${tradingUrl}/v2/orders`
  const orderUrl = (brokerOrderId: string) => `${orders}/${encodeURIComponent(brokerOrderId)}`
  return {
    accountId: async () => text(asObject(await rest.get(`${tradingUrl}/v2/account`), 'the account'), 'id'),
    place: async (order, fractionalEhEnabled) =>
      readOrder(asObject(await rest.post(orders, orderBody(order, fractionalEhEnabled)), 'the order')),
    async findByClientOrderId(clientOrderId) {
      const found = await found404(rest.get(`${orders}:by_client_order_id`, { client_order_id: clientOrderId }))
      return found && readOrder(found)
    },
    order: (brokerOrderId) => found404(rest.get(orderUrl(brokerOrderId))),
    async cancel(brokerOrderId) {
      await rest.delete(orderUrl(brokerOrderId)).catch((error) => {
        if (!isTooLate(error)) throw error
      })
    },
    openOrders: () => openOrders(rest, orders, log),
    fills: (afterMs) => fills(rest, `${tradingUrl}/v2/account/activities/FILL`, afterMs),
    async positions() {
      const held = asList(await rest.get(`${tradingUrl}/v2/positions`), 'the list of positions')
      return held.map(readPosition).filter(({ quantityWad }) => quantityWad !== 0n)
    },
  }
}

/** The order is not there, or no longer open; any other refusal, of the key for instance, would last unseen. */
const isTooLate = (error: unknown): boolean =>
  error instanceof AlpacaRefusal && (error.status === 404 || error.status === 422)

async function found404(answer: Promise<unknown>): Promise<WireObject | null> {
  try {
    return asObject(await answer, 'the order')
  } catch (error) {
    if (error instanceof AlpacaRefusal && error.status === 404) return null
    throw error
  }
}

/** https://docs.alpaca.markets/reference/getallorders: pages follow each other by the time of submission. */
async function openOrders(rest: AlpacaRest, url: string, log: Logger): Promise<readonly WireOrder[]> {
  const open = new Map<string, WireOrder>()
  for (let after: string | null = null; ; ) {
    const query = { status: 'open', limit: ORDER_PAGE, direction: 'asc', nested: 'false', after }
    const page = asList(await rest.get(url, query), 'the list of orders')
    const known = open.size
    for (const listed of page) {
      try {
        const order = readOrder(listed)
        open.set(order.brokerOrderId, order)
        // Orders of one millisecond may lie on both sides of a page's end.
        after = new Date(order.submittedMs - 1).toISOString()
      } catch (err) {
        log.warn({ err, order: listed.id }, 'an open order of the account cannot be read')
      }
    }
    if (page.length < ORDER_PAGE || open.size === known) return [...open.values()]
  }
}

async function* fills(rest: AlpacaRest, url: string, afterMs: number | null): AsyncGenerator<readonly Fill[]> {
  const after = afterMs === null ? null : new Date(afterMs).toISOString()
  for (let pageToken: string | null = null; ; ) {
    const query = { direction: 'asc', page_size: ACTIVITY_PAGE, after, page_token: pageToken }
    const page = asList(await rest.get(url, query), 'the list of activities')
    yield page.filter((activity) => activity.activity_type === 'FILL').map(readFill)
    const last = page.at(-1)
    if (!last || page.length < ACTIVITY_PAGE) return
    pageToken = text(last, 'id')
  }
}

/** https://docs.alpaca.markets/docs/account-activities: the id names an activity once and for ever. */
const readFill = (fill: WireObject): Fill => ({
  executionId: text(fill, 'id'),
  brokerOrderId: text(fill, 'order_id'),
  symbol: text(fill, 'symbol'),
  side: readSide(fill),
  quantityWad: decimal(fill, 'qty', 18),
  price8: decimal(fill, 'price', 8),
  timeMs: time(fill, 'transaction_time'),
})

/** https://docs.alpaca.markets/reference/getallopenpositions: the quantity of a short position is negative. */
function readPosition(position: WireObject): BrokerPosition {
  const quantityWad = decimal(position, 'qty', 18)
  const isShort = position.side === 'short' && quantityWad > 0n
  return { symbol: text(position, 'symbol'), quantityWad: isShort ? -quantityWad : quantityWad }
}
