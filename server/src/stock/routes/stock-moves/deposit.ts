import { defineRoute } from '../../../http/product.ts'
import type { StockContext } from '../../context.ts'
import { OPERATION_ID } from '../../examples.ts'
import { findStockOperations } from '../../portfolio/stock-operation-store.ts'
import {
  stockOperationExample,
  stockOperationView,
  stockOperationViewSchema,
} from '../../portfolio/stock-operations.ts'
import { stockReasons } from '../../reasons.ts'
import { findMove, MOVE_DESCRIPTION, moveParams } from '../move-records.ts'

/** GET /stock/deposits/{operationId}: one deposit (stock-api 2.5). */
export const getStockDeposit = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/stock/deposits/:operationId',
    summary: 'Stock deposit detail',
    access: 'READ_ONLY',
    schema: { params: moveParams, data: stockOperationViewSchema },
    description: MOVE_DESCRIPTION,
    reasons: [stockReasons.operation_not_found],
    examples: { params: { operationId: OPERATION_ID }, data: stockOperationExample(context, 'deposit') },
    async handler(request) {
      const { move, mapping } = await findMove(context, request, {
        type: 'stock_deposit',
        kind: 'deposit',
        name: 'stock deposit',
        find: findStockOperations,
      })
      return stockOperationView(move, mapping, context.productType)
    },
  })
