import type { Line } from '../../reconciliation/lines.ts'
import type { BrokerFigures } from './broker-figures.ts'
import type { ChainFigures } from './chain-figures.ts'
import type { DatabaseFigures } from './database-figures.ts'
import { line } from './lines.ts'
import type { ChainOrder } from './order-books-store.ts'

// The rule for orders: at the broker, and on chain.

const orders = { section: 'orders', unit: 'orders', decimals: 0 } as const
const count = (items: { readonly length: number }): bigint => BigInt(items.length)

/** Every comparison of orders. */
export const compareOrders = (database: DatabaseFigures, broker: BrokerFigures, chain: ChainFigures): Line[] => [
  atBroker(database, broker),
  placed(database, chain),
  onChain(database, chain),
]

/** The broker's open orders are the venue's; those that only one of the two has are on their way, foreign or lost. */
function atBroker({ bookedOrders }: DatabaseFigures, { openOrders, notOpen, known }: BrokerFigures): Line {
  const open = new Set(openOrders.map(({ clientOrderId }) => clientOrderId))
  const foreign = openOrders.filter(({ clientOrderId }) => !known.has(clientOrderId))
  const absent = bookedOrders.filter(({ clientOrderId }) => !open.has(clientOrderId))
  const found = absent.filter(({ clientOrderId }) => notOpen.has(clientOrderId))
  const missing = absent.filter(({ clientOrderId }) => !notOpen.has(clientOrderId))
  const lost = missing.filter(({ status }) => status !== 'requested')
  const answered = new Set(bookedOrders.flatMap((one) => (one.status === 'requested' ? [] : [one.clientOrderId])))
  const unanswered = openOrders.filter((one) => known.has(one.clientOrderId) && !answered.has(one.clientOrderId))
  return line({
    ...orders,
    subject: 'orders',
    comparison: 'at_broker',
    broker: count(openOrders),
    database: BigInt(answered.size),
    inFlight: [
      ['requested', count(missing) - count(lost)],
      ['answered', count(unanswered)],
      ['ended', count(found)],
    ],
    difference: count(foreign) + count(lost),
    cause: foreign.length > 0 ? 'foreign_order' : 'lost_order',
    details: [
      ...foreign.map(({ clientOrderId, symbol }) => `${clientOrderId} (${symbol}) at the broker is not ours`),
      ...lost.map(({ clientOrderId }) => `${clientOrderId} is not known to the broker`),
    ],
  })
}

/** The exchange numbers its orders, and queued withdrawals of stock with them; each has its row. */
function placed({ cash }: DatabaseFigures, chain: ChainFigures): Line {
  const parts = { subject: 'orders', comparison: 'placed', database: cash.numbered, chain: chain.numbered } as const
  return line({ ...orders, ...parts, difference: chain.numbered - cash.numbered, cause: 'lost_order' })
}

/** Those of the open orders that were looked at which the exchange has otherwise. */
export const ordersThatDiffer = ({ orders }: DatabaseFigures, { openOrders }: ChainFigures): readonly ChainOrder[] =>
  orders.filter((order) => {
    const there = openOrders.get(order.orderId)
    return !(
      there?.isOpen &&
      there.filledQuantityWad === order.filledQuantityWad &&
      there.cancelRequested === order.cancelRequested
    )
  })

/** Open orders one by one, as they were indexed and as the exchange has them. */
function onChain(database: DatabaseFigures, chain: ChainFigures): Line {
  const wrong = ordersThatDiffer(database, chain)
  const { notTaken, toBeClosed, cancelRequested } = database.openOrders
  const [checked, difference] = [count(database.orders), count(wrong)]
  return line({
    ...orders,
    subject: 'orders',
    comparison: 'on_chain',
    database: checked,
    chain: checked - difference,
    inFlight: [
      ['not_taken', notTaken],
      ['cancel_requested', cancelRequested],
      ['to_be_closed', toBeClosed],
    ],
    difference,
    cause: 'order_books',
    details: wrong.map(({ orderId }) => orderId),
  })
}
