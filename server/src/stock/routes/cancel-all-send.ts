import Type from 'typebox'
import { sendProperties } from '../../delegation/send.ts'
import { defineRoute } from '../../http/product.ts'
import { nullable } from '../../http/schemas.ts'
import type { StockContext } from '../context.ts'
import { ORDER_ID } from '../examples.ts'
import { sendExample, sendForUser, sendSchema } from '../sending/send.ts'
import { buildCancel } from './cancel-calldata.ts'
import {
  CANCEL_ALL_DESCRIPTION,
  CANCEL_ALL_REASONS,
  cancelAllProperties,
  cancelEach,
  failureSchema,
} from './cancel-each.ts'

/** DELETE /orders/send: asks for the cancel of every open limit order by One Click. */
export const deleteOrdersSend = (context: StockContext) =>
  defineRoute({
    method: 'DELETE',
    path: '/api/v1/orders/send',
    summary: 'One Click cancel of every open limit order',
    access: 'WRITABLE',
    schema: {
      query: Type.Object({ ...cancelAllProperties, ...sendProperties }),
      data: Type.Array(Type.Object({ orderId: Type.String(), send: nullable(sendSchema), failure: failureSchema })),
    },
    description: `${CANCEL_ALL_DESCRIPTION} A repeat sends nothing twice: a cancel that is under way keeps out a second. gasLimit is that of each transaction. An Idempotency-Key is not needed and does not apply.`,
    reasons: CANCEL_ALL_REASONS,
    examples: {
      query: { symbol: 'AAPL', gasLimit: 500_000 },
      data: [{ orderId: ORDER_ID, send: sendExample(context, 'trade'), failure: null }],
    },
    async handler({ query: { symbol, ...fields }, caller }) {
      const cancels = await cancelEach(context, caller, symbol, (orderId) =>
        sendForUser(context, { caller }, fields, async () => ({
          calldata: await buildCancel(context, caller, orderId),
          spending: null,
        })),
      )
      return cancels.map(({ orderId, value, failure }) => ({ orderId, send: value, failure }))
    },
  })
