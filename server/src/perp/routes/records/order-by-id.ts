import Type from 'typebox'
import { defineRoute } from '../../../http/product.ts'
import { EXPECTED } from '../../../http/validation.ts'
import type { PerpContext } from '../../context.ts'
import { orderExample, orderSchema } from '../../portfolio/order-view.ts'
import { orderById } from '../../portfolio/records.ts'
import { accountQuery, traderOf } from '../../portfolio/trader.ts'
import { perpReasons } from '../../reasons.ts'
import { RECORD_REASONS, TRADER } from './shared.ts'

const orderIdSchema = Type.String({
  pattern: '^(0|[1-9][0-9]{0,18})$',
  [EXPECTED]: 'an orderId: up to 19 decimal digits',
})

/** GET order/byId (perp-api 2B, row 11). */
export const getOrderById = (context: PerpContext, path = `${TRADER}/order/byId`) =>
  defineRoute({
    method: 'GET',
    path,
    summary: 'One order of the wallet, open or not',
    access: 'READ_ONLY',
    schema: { query: Type.Object({ orderId: orderIdSchema, ...accountQuery }), data: orderSchema },
    reasons: [...RECORD_REASONS, perpReasons.order_unknown],
    examples: { query: { orderId: orderExample.orderId }, data: orderExample },
    handler: async ({ query, caller }) => orderById(context, traderOf(context, caller, query), query.orderId),
  })
