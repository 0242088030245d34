import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import type { StockContext } from '../context.ts'
import { orderProperties } from '../orders/order-request.ts'
import { clientOrderProperties } from '../schemas.ts'
import { boundUserProperties, sendForUser, sendProperties, sendSchema } from '../sending/send.ts'
import { buildOrder } from './order-calldata.ts'

const body = Type.Object({ ...orderProperties, ...boundUserProperties, ...clientOrderProperties, ...sendProperties })

/** POST /orders/send: places an order for the bound user (seed 4A; stock-api 2.3). Errors: as `buildOrder`, `sendForUser`. */
export const postOrderSend = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/orders/send',
    summary: 'One Click order',
    access: 'WRITABLE',
    schema: { body, data: sendSchema },
    handler: (request) =>
      sendForUser(context, request, request.body, async () => ({
        calldata: await buildOrder(context, request.body),
        spending: null,
      })),
  })
