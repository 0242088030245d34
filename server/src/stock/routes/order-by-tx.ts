import Type from 'typebox'
import type { Hex } from '../../chain/types.ts'
import { TX_HASH } from '../../http/examples.ts'
import { defineRoute } from '../../http/product.ts'
import { hashSchema } from '../../http/schemas.ts'
import { AppError } from '../../lib/errors.ts'
import type { StockContext } from '../context.ts'
import { viewOrder } from '../orders/order-lookup.ts'
import { orderDetailExample, orderDetailSchema } from '../orders/orders.ts'
import { stockReasons } from '../reasons.ts'
import { mappingScope } from '../recording/claim-types.ts'
import { mappingsOfTransaction } from '../recording/mapping-store.ts'
import { findOrders } from '../store.ts'

/** GET /orders/tx/{txHash}: the order of a transaction that the calling key has recorded (stock-api 2.3). */
export const getOrderByTx = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/orders/tx/:txHash',
    summary: 'Order by the hash of its transaction',
    access: 'READ_ONLY',
    schema: { params: Type.Object({ txHash: hashSchema('a transaction hash') }), data: orderDetailSchema },
    description:
      'The first, when the transaction has several orders. orderId is null until the transaction is indexed. The hash of a cancel answers the order, with the cancel’s own transaction in txHash, mapping and cancellation.',
    reasons: [stockReasons.transaction_not_recorded],
    examples: { params: { txHash: TX_HASH }, data: orderDetailExample(context) },
    async handler({ params, caller }) {
      const hash = params.txHash.toLowerCase() as Hex
      const { sql } = context.venue
      const [mapping] = await mappingsOfTransaction(sql, mappingScope(context, caller, 'trade'), hash)
      if (!mapping) {
        const message = `this API key has recorded no order transaction ${hash}: POST /api/v1/orders/tx records it`
        throw new AppError(stockReasons.transaction_not_recorded, message)
      }
      const orderId = mapping.operationId ?? mapping.cancelOrderId
      const [order] = orderId ? await findOrders(sql, context.chainId, [orderId]) : []
      return viewOrder(context, order ?? null, mapping)
    },
  })
