import { defineRoute } from '../../../http/product.ts'
import { pagedSchema } from '../../../http/schemas.ts'
import type { StockContext } from '../../context.ts'
import { viewStockOperations } from '../../portfolio/operation-lookup.ts'
import { stockOperationExample, stockOperationViewSchema } from '../../portfolio/stock-operations.ts'
import { pageQuerySchema } from '../../schemas.ts'
import { listMoves } from '../move-records.ts'

/** GET /stock/deposits: the calling key's, newest first (stock-api 1.4, 2.5). */
export const getStockDeposits = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/stock/deposits',
    summary: 'Stock deposits that the calling key has recorded, newest first',
    access: 'READ_ONLY',
    schema: { query: pageQuerySchema, data: pagedSchema(stockOperationViewSchema) },
    examples: {
      query: { page: 1, limit: 10 },
      data: { total: 1, rows: [stockOperationExample(context, 'deposit')] },
    },
    handler: (request) => listMoves(context, request, 'stock_deposit', viewStockOperations),
  })
