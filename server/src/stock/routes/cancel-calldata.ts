import Type from 'typebox'
import type { Hex } from '../../chain/types.ts'
import type { Caller } from '../../http/caller.ts'
import { defineRoute } from '../../http/product.ts'
import { hashSchema } from '../../http/schemas.ts'
import { AppError } from '../../lib/errors.ts'
import { type Calldata, cancelCalldata } from '../calldata/calldata.ts'
import type { StockContext } from '../context.ts'
import { ORDER_ID } from '../examples.ts'
import { stockReasons } from '../reasons.ts'
import { answerCalldata, calldataExample } from '../recording/calldata-answer.ts'
import { requireNoPendingCancel } from '../recording/cancels.ts'
import { mappingScope } from '../recording/claim-types.ts'
import { mappingOfOperation } from '../recording/mapping-store.ts'
import { calldataSchema } from '../schemas.ts'
import { findOrders } from '../store.ts'

/** Why `buildCancel` refuses. */
export const CANCEL_REASONS = [
  stockReasons.order_not_found,
  stockReasons.order_not_owned,
  stockReasons.order_not_cancelable,
  stockReasons.order_not_open,
  stockReasons.cancel_already_requested,
] as const

/** DELETE /orders/{orderId}/calldata: a transaction that asks for the cancel of an open limit order (seed 3A, 4A; stock-api 2.3). */
export const deleteOrderCalldata = (context: StockContext) =>
  defineRoute({
    method: 'DELETE',
    path: '/api/v1/orders/:orderId/calldata',
    summary: 'Calldata for the cancel of a limit order (StockRouter.cancelLimitOrder)',
    access: 'WRITABLE',
    schema: { params: Type.Object({ orderId: hashSchema('an order id') }), data: calldataSchema },
    description: 'Only the key that the order belongs to may cancel it.',
    reasons: CANCEL_REASONS,
    examples: {
      params: { orderId: ORDER_ID },
      data: calldataExample(context, 'cancelLimitOrder', '0x4584eff6'),
    },
    async handler({ params, caller }) {
      return answerCalldata(context, caller, await buildCancel(context, caller, params.orderId))
    },
  })

/** A cancel of the caller's order. Throws `CANCEL_REASONS`. */
export async function buildCancel(context: StockContext, caller: Caller, id: string): Promise<Calldata> {
  const orderId = id.toLowerCase() as Hex
  await requireCancelable(context, caller, orderId)
  return cancelCalldata(context.router, orderId)
}

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
    const detail = { id: null, txHash: order.cancelTxHash }
    throw new AppError(stockReasons.cancel_already_requested, message, { detail })
  }
  const { chainId, router, venue } = context
  await requireNoPendingCancel(sql, venue.rpc, { chainId, router, orderId, userAddress: order.userAddress })
}
