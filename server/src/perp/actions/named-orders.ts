import Type from 'typebox'
import type { Hex } from '../../chain/types.ts'
import { EXPECTED } from '../../http/validation.ts'
import { AppError } from '../../lib/errors.ts'
import type { PerpContext } from '../context.ts'
import type { PairState } from '../listing/pair.ts'
import { readIndexed } from '../portfolio/indexed.ts'
import { findOrders } from '../portfolio/record-store.ts'
import { perpReasons } from '../reasons.ts'
import type { NamedOrder } from './action.ts'
import { type OpenOrder, oidSchema, openOrdersOf } from './open-orders.ts'
import { placedSince } from './placed-since.ts'

// How bodies name orders: by the public orderId, as the reads give it, or by the oid, as the contract packs it.

const NONE: ReadonlySet<bigint> = new Set()

/** An account has no more in one pair. */
const MOST_ORDERS = 128

const orderIdSchema = Type.String({
  pattern: '^(0|[1-9][0-9]{0,18})$',
  [EXPECTED]: 'an orderId: up to 19 decimal digits',
  description: 'The order’s id, as GET order/realtime gives it.',
})

export const orderProperties = { orderId: Type.Optional(orderIdSchema), oid: Type.Optional(oidSchema) }

export const ordersProperties = {
  orderIds: Type.Optional(Type.Array(orderIdSchema, { minItems: 1, maxItems: MOST_ORDERS })),
  oids: Type.Optional(Type.Array(oidSchema, { minItems: 1, maxItems: MOST_ORDERS })),
  all: Type.Optional(
    Type.Boolean({ description: 'Every open order of the wallet in the pair; false is as if it were not there.' }),
  ),
}

interface OrderFields {
  readonly orderId?: string
  readonly oid?: string | number
}

interface OrdersFields {
  readonly orderIds?: readonly string[]
  readonly oids?: readonly (string | number)[]
  readonly all?: boolean
}

/**
 * The open order of a body. Throws `perp_order_not_open`, `fields_not_together`, `perp_not_indexed`, `perp_chain_unreachable`.
 */
export async function namedOrder(
  context: PerpContext,
  user: Hex,
  pair: PairState,
  { orderId, oid }: OrderFields,
): Promise<OpenOrder> {
  if ((orderId === undefined) === (oid === undefined)) throw apart('send either orderId or oid')
  const wanted = oid === undefined ? await openOidOf(context, user, pair, String(orderId)) : BigInt(oid)
  const found = openOrdersOf(pair).find((order) => order.oid === wanted)
  if (found) return found
  const message = `the wallet has no open order ${orderId ?? oid} in ${pair.instrument.symbol}; it may be filled or cancelled already`
  throw new AppError(perpReasons.perp_order_not_open, message)
}

/** Orders of a body: those to end, each once, and what is told of each that was named. */
export interface NamedOrders {
  readonly open: readonly OpenOrder[]
  readonly told: readonly NamedOrder[]
}

/**
 * The orders of a body, whether they are open or not. Throws `fields_not_together`, `perp_not_indexed`, `perp_chain_unreachable`.
 */
export async function namedOrders(
  context: PerpContext,
  user: Hex,
  pair: PairState,
  { orderIds, oids, all }: OrdersFields,
): Promise<NamedOrders> {
  if ([orderIds, oids, all || undefined].filter((field) => field !== undefined).length !== 1) {
    throw apart('send one of orderIds, oids and all: true')
  }
  const open = new Map(openOrdersOf(pair).map((order) => [order.oid, order]))
  const named = orderIds
    ? await recorded(context, user, pair, orderIds)
    : (oids?.map(BigInt) ?? [...open.keys()]).map((oid) => ({ orderId: null, oid, isOpen: true }))
  const toEnd = named.filter(({ oid, isOpen }) => isOpen && oid !== null && open.has(oid))
  const told = named.map((order) => ({
    oid: order.oid === null ? null : String(order.oid),
    orderId: order.orderId,
    status: toEnd.includes(order) ? ('sent' as const) : ('not_open' as const),
  }))
  const wanted = new Set(toEnd.map(({ oid }) => oid))
  return { open: [...open.values()].filter(({ oid }) => wanted.has(oid)), told: eachOnce(told) }
}

const eachOnce = (told: readonly NamedOrder[]): readonly NamedOrder[] => [
  ...new Map(told.map((order) => [`${order.orderId}:${order.oid}`, order])).values(),
]

/** An order that a body names by its id. */
interface Recorded {
  readonly orderId: string
  /** Null where the account has none of the id in the pair. */
  readonly oid: bigint | null
  readonly isOpen: boolean
}

/**
 * What is recorded of orders. An oid names one order at a time, not for good: once an untouched order is cancelled, the next one at its
 * tick has the same. So only the oid of an order that is open leads to an order of the contract; and since the contract's are newer than
 * what is recorded, none at which another was placed since.
 */
async function recorded(
  { venue, chainId }: PerpContext,
  trader: Hex,
  pair: PairState,
  orderIds: readonly string[],
): Promise<readonly Recorded[]> {
  const { instrument, expiry } = pair
  const scope = { chainId, trader, pairs: { instruments: [instrument.address], expiry } }
  const { block, rows } = await readIndexed(venue, (tx) => findOrders(tx, scope, orderIds.map(BigInt)))
  const placed = rows.some(({ status }) => status === 'open') ? await placedSince(venue, block, pair, trader) : NONE
  const byId = new Map(rows.map((row) => [row.orderId, row]))
  return orderIds.map((orderId) => {
    const row = byId.get(BigInt(orderId))
    return { orderId, oid: row?.oid ?? null, isOpen: row?.status === 'open' && !placed.has(row.oid) }
  })
}

async function openOidOf(context: PerpContext, trader: Hex, pair: PairState, orderId: string): Promise<bigint | null> {
  const [order] = await recorded(context, trader, pair, [orderId])
  return order?.isOpen ? order.oid : null
}

const apart = (message: string): AppError => new AppError(perpReasons.fields_not_together, message)
