import Type from 'typebox'
import { EXPECTED } from '../../http/validation.ts'
import { orderKeyOf } from '../calldata/words.ts'
import type { PairState } from '../listing/pair.ts'
import { tickToPrice } from '../maths/tick.ts'
import type { OrderOfAction } from './action.ts'

// Orders that a request names. An order is known by its oid, tick and generation as the contract packs them (perp-protocol 2.6).

const UINT48_MAX = 281_474_976_710_655

/** A number or its text, since clients print either. */
export const oidSchema = Type.Unsafe<string | number>(
  Type.Union([Type.Integer({ minimum: 0, maximum: UINT48_MAX }), Type.String({ pattern: '^\\d{1,15}$' })], {
    [EXPECTED]: 'an oid such as 1869451624454',
    description: 'The order’s oid: tick and generation as the contract packs them.',
  }),
)

/** An open order of the account. */
export interface OpenOrder extends OrderOfAction {
  readonly oid: bigint
  readonly nonce: number
  /** The part of it that a cancel would turn into a position now; signed like the size. */
  readonly taken: bigint
}

/** The account's open orders in a pair. */
export const openOrdersOf = ({ portfolio }: PairState): readonly OpenOrder[] =>
  portfolio.oids.map((packed, index) => {
    const oid = BigInt(packed)
    const { tick, nonce } = orderKeyOf(oid)
    const size = portfolio.orders[index]?.size ?? 0n
    return { oid, tick, nonce, price: tickToPrice(tick), size, margin: null, taken: portfolio.ordersTaken[index] ?? 0n }
  })
