import Type from 'typebox'
import type { Hex } from '../../chain/types.ts'
import { AppError } from '../../lib/errors.ts'
import type { PerpContext } from '../context.ts'
import type { PairState } from '../listing/pair.ts'
import { perpReasons } from '../reasons.ts'
import { type OpenOrder, oidSchema, openOrder, openOrdersOf } from './open-orders.ts'

// How bodies name orders.

/** An account has no more in one pair. */
export const MOST_ORDERS = 128

export const orderProperties = { oid: oidSchema }

export const ordersProperties = {
  oids: Type.Optional(Type.Array(oidSchema, { minItems: 1, maxItems: MOST_ORDERS })),
  all: Type.Optional(Type.Literal(true, { description: 'Every open order of the wallet in the pair.' })),
}

export interface OrderFields {
  readonly oid: string | number
}

export interface OrdersFields {
  readonly oids?: readonly (string | number)[]
  readonly all?: true
}

/** The open order of a body. Throws `perp_order_not_open`. */
export const namedOrder = async (
  _context: PerpContext,
  _user: Hex,
  pair: PairState,
  { oid }: OrderFields,
): Promise<OpenOrder> => openOrder(pair, oid)

/** Those orders of a body that are open, each once. Throws `fields_not_together`. */
export async function namedOrders(
  _context: PerpContext,
  _user: Hex,
  pair: PairState,
  { oids, all }: OrdersFields,
): Promise<readonly OpenOrder[]> {
  if ((oids === undefined) === (all === undefined)) {
    throw new AppError(perpReasons.fields_not_together, 'send either oids or all: true')
  }
  const open = openOrdersOf(pair)
  if (oids === undefined) return open
  const wanted = new Set(oids.map(BigInt))
  return open.filter(({ oid }) => wanted.has(oid))
}
