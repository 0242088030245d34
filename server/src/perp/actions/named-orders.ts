import Type from 'typebox'
import type { Hex } from '../../chain/types.ts'
import { EXPECTED } from '../../http/validation.ts'
import { AppError } from '../../lib/errors.ts'
import type { PerpContext } from '../context.ts'
import type { PairState } from '../listing/pair.ts'
import { readIndexed } from '../portfolio/indexed.ts'
import { findOrder } from '../portfolio/record-store.ts'
import { perpReasons } from '../reasons.ts'
import type { NamedOrder } from './action.ts'
import { type OpenOrder, oidSchema, openOrdersOf } from './open-orders.ts'

// How bodies name orders: by the public orderId, as the reads give it, or by the oid, as the contract packs it.

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

/** The open order of a body. Throws `perp_order_not_open`, `fields_not_together`, `perp_not_indexed`. */
export async function namedOrder(
  context: PerpContext,
  user: Hex,
  pair: PairState,
  { orderId, oid }: OrderFields,
): Promise<OpenOrder> {
  if ((orderId === undefined) === (oid === undefined)) throw apart('send either orderId or oid')
  const wanted = oid === undefined ? await oidOf(context, user, pair, String(orderId)) : BigInt(oid)
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

/** The orders of a body, whether they are open or not. Throws `fields_not_together`, `perp_not_indexed`. */
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
  const named = all
    ? [...open.keys()].map((oid) => ({ oid, orderId: null }))
    : (oids?.map((oid) => ({ oid: BigInt(oid), orderId: null })) ??
      (await Promise.all(
        (orderIds ?? []).map(async (orderId) => ({ oid: await oidOf(context, user, pair, orderId), orderId })),
      )))
  const told = named.map(({ oid, orderId }) => ({
    oid: oid === null ? null : String(oid),
    orderId,
    status: oid !== null && open.has(oid) ? ('sent' as const) : ('not_open' as const),
  }))
  const wanted = new Set(named.map(({ oid }) => oid))
  return { open: [...open.values()].filter(({ oid }) => wanted.has(oid)), told: eachOnce(told) }
}

const eachOnce = (told: readonly NamedOrder[]): readonly NamedOrder[] => [
  ...new Map(told.map((order) => [`${order.orderId}:${order.oid}`, order])).values(),
]

/** The oid of the account's order of this id in the pair; null where it has none. */
async function oidOf({ venue, chainId }: PerpContext, trader: Hex, pair: PairState, orderId: string) {
  const scope = { chainId, trader, pairs: null }
  const { rows: order } = await readIndexed(venue, (tx) => findOrder(tx, scope, BigInt(orderId)))
  const isOfPair = order?.instrument === pair.instrument.address && Number(order.expiry) === pair.expiry
  return order && isOfPair ? order.oid : null
}

const apart = (message: string): AppError => new AppError(perpReasons.fields_not_together, message)
