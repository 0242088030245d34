import Type from 'typebox'
import type { Hex } from '../../chain/types.ts'
import { type Caller, defineRoute } from '../../http/product.ts'
import { AppError } from '../../lib/errors.ts'
import { type Calldata, cancelCalldata } from '../calldata/calldata.ts'
import { answerCalldata } from '../calldata/calldata-answer.ts'
import type { StockContext } from '../context.ts'
import { stockReasons } from '../reasons.ts'
import { mappingScope } from '../recording/lookups.ts'
import { calldataSchema, hashSchema } from '../schemas.ts'
import { findOrders, mappingOfOperation } from '../store.ts'

/**
 * DELETE /orders/{orderId}/calldata: a transaction that asks for the cancel of an open limit order (seed 3A, 4A; stock-api
 * 2.3). Only the key that the order belongs to may build it. Errors: as `requireCancelable`.
 */
export const deleteOrderCalldata = (context: StockContext) =>
  defineRoute({
    method: 'DELETE',
    path: '/api/v1/orders/:orderId/calldata',
    summary: 'Calldata for the cancel of a limit order (StockRouter.cancelLimitOrder)',
    access: 'WRITABLE',
    schema: { params: Type.Object({ orderId: hashSchema('an order id') }), data: calldataSchema },
    async handler({ params, caller }) {
      return answerCalldata(context, caller, await buildCancel(context, caller, params.orderId))
    },
  })

/** A cancel of the caller's order. Throws as `requireCancelable`. */
export async function buildCancel(context: StockContext, caller: Caller, id: string): Promise<Calldata> {
  const orderId = id.toLowerCase() as Hex
  await requireCancelable(context, caller, orderId)
  return cancelCalldata(context.router, orderId)
}

/** Throws `order_not_found`, `order_not_owned`, `order_not_cancelable`, `order_not_open`, `cancel_already_requested`. */
async function requireCancelable(context: StockContext, caller: Caller, orderId: Hex): Promise<void> {
  const { sql } = context.venue
  const [order] = await findOrders(sql, context.chainId, [orderId])
  if (!order) throw new AppError(stockReasons.order_not_found, `no order ${orderId} is indexed`)
  const scope = mappingScope(context, caller, 'trade')
  if ((await mappingOfOperation(sql, scope, order.createTxHash, orderId)) === null) {
    const message = `order ${orderId} does not belong to this API key: an order is cancelled by the key that recorded it (POST /api/v1/orders/tx)`
    throw new AppError(stockReasons.order_not_owned, message)
  }
  if (order.orderType === 'Market') {
    throw new AppError(stockReasons.order_not_cancelable, 'a market order cannot be cancelled, only a limit order can')
  }
  if (order.status !== 'open') {
    const message = `order ${orderId} is no longer open, so there is nothing to cancel`
    throw new AppError(stockReasons.order_not_open, message)
  }
  if (order.cancelRequested) {
    const message = `the cancel of order ${orderId} was requested before and waits for the broker`
    throw new AppError(stockReasons.cancel_already_requested, message)
  }
}
