import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import { depositAndOrderCalldata } from '../calldata/calldata.ts'
import { answerCalldata } from '../calldata/calldata-answer.ts'
import type { StockContext } from '../context.ts'
import {
  type DepositFields,
  depositProperties,
  readDeposit,
  requireSufficientDeposit,
} from '../orders/order-deposit.ts'
import { type OrderBody, orderProperties, readOrderRequest } from '../orders/order-request.ts'
import { calldataSchema } from '../schemas.ts'

const body = Type.Object({ ...orderProperties, ...depositProperties })

/**
 * POST /orders/with-deposit/calldata: a transaction that deposits and places an order (seed 4A; stock-api 2.3). A deposit
 * that the contracts would refuse for this order now is refused here. Errors: as `readOrderRequest`, `readDeposit`,
 * `requireSufficientDeposit`.
 */
export const postOrderWithDepositCalldata = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/orders/with-deposit/calldata',
    summary: 'Calldata for a deposit and an order in one transaction (StockRouter.depositAnd…)',
    access: 'WRITABLE',
    schema: { body, data: calldataSchema },
    handler: async ({ body, caller }) =>
      answerCalldata(context, caller, (await buildDepositAndOrder(context, body)).calldata),
  })

/** An order with its deposit. Throws as `readOrderRequest`, `readDeposit`, `requireSufficientDeposit`. */
export async function buildDepositAndOrder(context: StockContext, body: OrderBody & DepositFields) {
  const order = await readOrderRequest(context, body)
  const deposit = await readDeposit(context, order, body)
  await requireSufficientDeposit(context, order, deposit)
  const { stock, terms, deadlineSec } = order
  const calldata = depositAndOrderCalldata(context.router, stock.token.token, terms, deposit, deadlineSec)
  return { calldata, deposit }
}
