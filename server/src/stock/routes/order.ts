import Type from 'typebox'
import type { Hex } from '../../chain/types.ts'
import { defineRoute } from '../../http/product.ts'
import { AppError } from '../../lib/errors.ts'
import type { StockContext } from '../context.ts'
import { orderDetailSchema } from '../orders/orders.ts'
import { stockReasons } from '../reasons.ts'
import { mappingScope, viewOrder } from '../recording/lookups.ts'
import { hashSchema } from '../schemas.ts'
import { findOrders, mappingOfOperation } from '../store.ts'

/**
 * GET /orders/{orderId}: an order, open or historical, with its fills (stock-api 2.3). Orders are public on chain; `mapping` is null when
 * the calling key has not recorded this one. Errors: `order_not_found`.
 */
export const getOrder = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/orders/:orderId',
    summary: 'Order detail',
    access: 'READ_ONLY',
    schema: { params: Type.Object({ orderId: hashSchema('an order id') }), data: orderDetailSchema },
    async handler({ params, caller }) {
      const { sql } = context.venue
      const id = params.orderId.toLowerCase() as Hex
      const [order] = await findOrders(sql, context.chainId, [id])
      if (!order) throw new AppError(stockReasons.order_not_found, `no order ${id} is indexed`)
      const mapping = await mappingOfOperation(sql, mappingScope(context, caller, 'trade'), order.createTxHash, id)
      return viewOrder(context, order, mapping)
    },
  })
