import Type from 'typebox'
import type { Hex } from '../../chain/types.ts'
import { defineRoute } from '../../http/product.ts'
import { hashSchema } from '../../http/schemas.ts'
import { AppError } from '../../lib/errors.ts'
import type { StockContext } from '../context.ts'
import { ORDER_ID } from '../examples.ts'
import { viewOrder } from '../orders/order-lookup.ts'
import { orderDetailExample, orderDetailSchema } from '../orders/orders.ts'
import { stockReasons } from '../reasons.ts'
import { mappingScope } from '../recording/claim-types.ts'
import { mappingOfOperation } from '../recording/mapping-store.ts'
import { findOrders } from '../store.ts'

/** GET /orders/{orderId}: an order, open or historical, with its fills (stock-api 2.3). */
export const getOrder = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/orders/:orderId',
    summary: 'Order detail',
    access: 'READ_ONLY',
    schema: { params: Type.Object({ orderId: hashSchema('an order id') }), data: orderDetailSchema },
    description: 'Orders are public on chain: mapping is null when the calling key has not recorded this one.',
    reasons: [stockReasons.order_not_found],
    examples: { params: { orderId: ORDER_ID }, data: orderDetailExample(context) },
    async handler({ params, caller }) {
      const { sql } = context.venue
      const id = params.orderId.toLowerCase() as Hex
      const [order] = await findOrders(sql, context.chainId, [id])
      if (!order) throw new AppError(stockReasons.order_not_found, `no order ${id} is indexed`)
      const mapping = await mappingOfOperation(sql, mappingScope(context, caller, 'trade'), order.createTxHash, id)
      return viewOrder(context, order, mapping)
    },
  })
