import { defineRoute } from '../../../http/product.ts'
import { pagedSchema } from '../../../http/schemas.ts'
import type { StockContext } from '../../context.ts'
import { cashOperationExample, cashOperationViewSchema } from '../../portfolio/cash.ts'
import { viewCashOperations } from '../../portfolio/operation-lookup.ts'
import { pageQuerySchema } from '../../schemas.ts'
import { listMoves } from '../move-records.ts'

/** GET /cash/withdrawals: the calling key's, newest first (stock-api 1.4, 2.4). */
export const getCashWithdrawals = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/cash/withdrawals',
    summary: 'Cash withdrawals that the calling key has recorded, newest first',
    access: 'READ_ONLY',
    schema: { query: pageQuerySchema, data: pagedSchema(cashOperationViewSchema) },
    examples: {
      query: { page: 1, limit: 10 },
      data: { total: 1, rows: [cashOperationExample(context, 'withdraw')] },
    },
    handler: (request) => listMoves(context, request, 'withdraw', viewCashOperations),
  })
