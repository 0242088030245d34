import Type from 'typebox'
import { SEND_REASONS, sendProperties } from '../../delegation/send.ts'
import { defineRoute } from '../../http/product.ts'
import { hashSchema } from '../../http/schemas.ts'
import type { StockContext } from '../context.ts'
import { ORDER_ID } from '../examples.ts'
import { sendExample, sendForUser, sendSchema } from '../sending/send.ts'
import { buildCancel, CANCEL_REASONS } from './cancel-calldata.ts'

/**
 * DELETE /orders/{orderId}/send: asks for the cancel of an open limit order of the bound user. It has no body: `gasLimit` is
 * a query parameter (stock-api 2.3).
 */
export const deleteOrderSend = (context: StockContext) =>
  defineRoute({
    method: 'DELETE',
    path: '/api/v1/orders/:orderId/send',
    summary: 'One Click cancel of a limit order',
    access: 'WRITABLE',
    busy: context.sends.busy,
    schema: {
      params: Type.Object({ orderId: hashSchema('an order id') }),
      query: Type.Object(sendProperties),
      data: sendSchema,
    },
    reasons: [...SEND_REASONS, ...CANCEL_REASONS],
    examples: { params: { orderId: ORDER_ID }, query: { gasLimit: 500_000 }, data: sendExample(context, 'trade') },
    handler: (request) =>
      sendForUser(context, request, request.query, async () => ({
        calldata: await buildCancel(context, request.caller, request.params.orderId),
        spending: null,
      })),
  })
