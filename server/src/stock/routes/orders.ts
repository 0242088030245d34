import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import type { StockContext } from '../context.ts'
import { orderViewSchema } from '../orders/orders.ts'
import { mappingScope, viewOrders } from '../recording/lookups.ts'
import { clientOrderProperties, pagedSchema, pageOf, pageQuerySchema } from '../schemas.ts'
import { listMappings } from '../store.ts'

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
    async handler({ query, caller }) {
      const scope = mappingScope(context, caller, 'trade')
      const { total, rows } = await listMappings(context.venue.sql, scope, pageOf(query), query.clientOrderId)
      return { total, rows: await viewOrders(context, rows) }
    },
  })
