import Type from 'typebox'
import { authReasons } from '../../auth/reasons.ts'
import { boundUserProperties, SEND_REASONS, sendProperties } from '../../delegation/send.ts'
import { defineRoute } from '../../http/product.ts'
import type { StockContext } from '../context.ts'
import { ORDER_EXAMPLES, ORDER_REASONS, orderProperties } from '../orders/order-request.ts'
import { stockReasons } from '../reasons.ts'
import { clientOrderProperties } from '../schemas.ts'
import { sendExample, sendForUser, sendSchema } from '../sending/send.ts'
import { buildOrder } from './order-calldata.ts'

const body = Type.Object({ ...orderProperties, ...boundUserProperties, ...clientOrderProperties, ...sendProperties })

/** POST /orders/send: places an order for the bound user (seed 4A; stock-api 2.3). */
export const postOrderSend = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/orders/send',
    summary: 'One Click order',
    access: 'WRITABLE',
    busy: context.sends.busy,
    schema: { body, data: sendSchema },
    reasons: [...SEND_REASONS, ...ORDER_REASONS, authReasons.user_not_bound, stockReasons.client_order_id_taken],
    examples: {
      bodies: {
        'market buy': ORDER_EXAMPLES.marketBuy,
        'limit sell': { ...ORDER_EXAMPLES.limitSell, clientOrderId: 'my-order-1' },
      },
      data: sendExample(context, 'trade'),
    },
    handler: (request) =>
      sendForUser(context, request, request.body, async () => ({
        calldata: await buildOrder(context, request.body),
        spending: null,
      })),
  })
