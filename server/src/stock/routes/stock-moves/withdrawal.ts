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

/** GET /stock/withdrawals/{operationId}: one withdrawal (stock-api 2.5). */
export const getStockWithdrawal = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/stock/withdrawals/:operationId',
    summary: 'Stock withdrawal detail',
    access: 'READ_ONLY',
    schema: { params: moveParams, data: stockOperationViewSchema },
    description: MOVE_DESCRIPTION,
    reasons: [stockReasons.operation_not_found],
    examples: { params: { operationId: OPERATION_ID }, data: stockOperationExample(context, 'withdraw') },
    async handler(request) {
      const { move, mapping } = await findMove(context, request, {
        type: 'stock_withdraw',
        kind: 'withdraw',
        name: 'stock withdrawal',
        find: findStockOperations,
      })
      return stockOperationView(move, mapping, context.productType)
    },
  })
