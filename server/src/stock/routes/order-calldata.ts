import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import { andThen } from '../../lib/and-then.ts'
import { type Calldata, orderCalldata } from '../calldata/calldata.ts'
import type { StockContext } from '../context.ts'
import {
  ORDER_EXAMPLES,
  ORDER_REASONS,
  type OrderBody,
  orderProperties,
  readOrderRequest,
} from '../orders/order-request.ts'
import { answerCalldata, calldataExample } from '../recording/calldata-answer.ts'
import { calldataSchema } from '../schemas.ts'

/** POST /orders/calldata: a transaction that places an order (seed 4A; stock-api 2.3). */
export const postOrderCalldata = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/orders/calldata',
    summary: 'Calldata for an order (StockRouter.placeMarketOrder or placeLimitOrder)',
    access: 'WRITABLE',
    schema: { body: Type.Object(orderProperties), data: calldataSchema },
    reasons: ORDER_REASONS,
    examples: {
      bodies: {
        'market buy': ORDER_EXAMPLES.marketBuy,
        'market sell': ORDER_EXAMPLES.marketSell,
        'limit buy': ORDER_EXAMPLES.limitBuy,
        'limit sell': ORDER_EXAMPLES.limitSell,
      },
      data: calldataExample(context, 'placeMarketOrder'),
    },
    handler: ({ body, caller }) =>
      andThen(buildOrder(context, body), (calldata) => answerCalldata(context, caller, calldata)),
  })

/** An order. Throws as `readOrderRequest`. */
export const buildOrder = (context: StockContext, body: OrderBody): Calldata | Promise<Calldata> =>
  andThen(readOrderRequest(context, body), ({ stock, terms, deadlineSec }) =>
    orderCalldata(context.router, stock.token.token, terms, deadlineSec),
  )
