import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import { nullable } from '../../http/schemas.ts'
import type { StockContext } from '../context.ts'
import { ORDER_ID } from '../examples.ts'
import { answerCalldata, calldataExample } from '../recording/calldata-answer.ts'
import { calldataSchema } from '../schemas.ts'
import { buildCancel } from './cancel-calldata.ts'
import {
  CANCEL_ALL_DESCRIPTION,
  CANCEL_ALL_REASONS,
  cancelAllProperties,
  cancelEach,
  failureSchema,
} from './cancel-each.ts'

/** DELETE /orders/calldata: transactions that ask for the cancel of every open limit order. The router cancels one at a time. */
export const deleteOrdersCalldata = (context: StockContext) =>
  defineRoute({
    method: 'DELETE',
    path: '/api/v1/orders/calldata',
    summary: 'Calldata for the cancel of every open limit order',
    access: 'WRITABLE',
    schema: {
      query: Type.Object(cancelAllProperties),
      data: Type.Array(
        Type.Object({ orderId: Type.String(), calldata: nullable(calldataSchema), failure: failureSchema }),
      ),
    },
    description: CANCEL_ALL_DESCRIPTION,
    reasons: CANCEL_ALL_REASONS,
    examples: {
      query: { symbol: 'AAPL' },
      data: [
        { orderId: ORDER_ID, calldata: calldataExample(context, 'cancelLimitOrder', '0x4584eff6'), failure: null },
      ],
    },
    async handler({ query: { symbol }, caller }) {
      const cancels = await cancelEach(context, caller, symbol, async (orderId) =>
        answerCalldata(context, caller, await buildCancel(context, caller, orderId)),
      )
      return cancels.map(({ orderId, value, failure }) => ({ orderId, calldata: value, failure }))
    },
  })
