import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import { pagedSchema } from '../../http/schemas.ts'
import type { StockContext } from '../context.ts'
import { viewOrders } from '../orders/order-lookup.ts'
import { orderExample, orderViewSchema } from '../orders/orders.ts'
import { mappingScope } from '../recording/claim-types.ts'
import { listMappings } from '../recording/mapping-store.ts'
import { clientOrderProperties, pageOf, pageQuerySchema } from '../schemas.ts'

/** GET /orders: the calling key's orders, newest first, or the one with a `clientOrderId` (stock-api 1.4, 2.3). */
export const getOrders = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/orders',
    summary: 'Orders that the calling key has recorded, newest first',
    access: 'READ_ONLY',
    schema: {
      query: Type.Object({ ...pageQuerySchema.properties, ...clientOrderProperties }),
      data: pagedSchema(orderViewSchema),
    },
    examples: {
      query: { page: 1, limit: 10, clientOrderId: 'my-order-1' },
      data: { total: 1, rows: [orderExample(context)] },
    },
    async handler({ query, caller }) {
      const scope = mappingScope(context, caller, 'trade')
      const { total, rows } = await listMappings(context.venue.sql, scope, pageOf(query), query.clientOrderId)
      return { total, rows: await viewOrders(context, rows) }
    },
  })
