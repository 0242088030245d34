import { defineRoute } from '../../../http/product.ts'
import type { StockContext } from '../../context.ts'
import { OPERATION_ID } from '../../examples.ts'
import { cashOperationExample, cashOperationView, cashOperationViewSchema } from '../../portfolio/cash.ts'
import { stockReasons } from '../../reasons.ts'
import { findCashOperations } from '../../store.ts'
import { findMove, MOVE_DESCRIPTION, moveParams } from '../move-records.ts'

/** GET /cash/withdrawals/{operationId}: one withdrawal (stock-api 2.4). */
export const getCashWithdrawal = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/cash/withdrawals/:operationId',
    summary: 'Cash withdrawal detail; poll operationStatus until it is final',
    access: 'READ_ONLY',
    schema: { params: moveParams, data: cashOperationViewSchema },
    description: MOVE_DESCRIPTION,
    reasons: [stockReasons.operation_not_found],
    examples: { params: { operationId: OPERATION_ID }, data: cashOperationExample(context, 'withdraw') },
    async handler(request) {
      const { move, mapping } = await findMove(context, request, {
        type: 'withdraw',
        kind: 'withdraw',
        name: 'withdrawal',
        find: findCashOperations,
      })
      return cashOperationView(move, mapping, context.productType)
    },
  })
