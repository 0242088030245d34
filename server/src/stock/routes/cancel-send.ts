import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import type { StockContext } from '../context.ts'
import { hashSchema } from '../schemas.ts'
import { sendForUser, sendProperties, sendSchema } from '../sending/send.ts'
import { buildCancel } from './cancel-calldata.ts'

/**
 * DELETE /orders/{orderId}/send: asks for the cancel of an open limit order of the bound user. It has no body: `gasLimit` is
 * a query parameter (stock-api 2.3). Errors: as `buildCancel`, `sendForUser`.
 */
export const deleteOrderSend = (context: StockContext) =>
  defineRoute({
    method: 'DELETE',
    path: '/api/v1/orders/:orderId/send',
    summary: 'One Click cancel of a limit order',
    access: 'WRITABLE',
    schema: {
      params: Type.Object({ orderId: hashSchema('an order id') }),
      query: Type.Object(sendProperties),
      data: sendSchema,
    },
    handler: (request) =>
      sendForUser(context, request, request.query, async () => ({
        calldata: await buildCancel(context, request.caller, request.params.orderId),
        spending: null,
      })),
  })
