import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import { depositAndOrderCalldata } from '../calldata/calldata.ts'
import type { StockContext } from '../context.ts'
import {
  DEPOSIT_EXAMPLES,
  DEPOSIT_REASONS,
  type DepositFields,
  depositProperties,
  readDeposit,
  requireSufficientDeposit,
} from '../orders/order-deposit.ts'
import { type OrderBody, orderProperties, readOrderRequest } from '../orders/order-request.ts'
import { answerCalldata, calldataExample } from '../recording/calldata-answer.ts'
import { calldataSchema } from '../schemas.ts'

const body = Type.Object({ ...orderProperties, ...depositProperties })

/** POST /orders/with-deposit/calldata: a transaction that deposits and places an order (seed 4A; stock-api 2.3). */
export const postOrderWithDepositCalldata = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/orders/with-deposit/calldata',
    summary: 'Calldata for a deposit and an order in one transaction (StockRouter.depositAnd…)',
    access: 'WRITABLE',
    schema: { body, data: calldataSchema },
    description: 'A deposit that the contracts would refuse for this order now is refused here.',
    reasons: DEPOSIT_REASONS,
    examples: {
      bodies: {
        'deposit cash and buy at the market': DEPOSIT_EXAMPLES.marketBuy,
        'deposit cash and buy at a limit': DEPOSIT_EXAMPLES.limitBuy,
        'deposit stock and sell at the market': DEPOSIT_EXAMPLES.marketSell,
        'deposit stock and sell at a limit': DEPOSIT_EXAMPLES.limitSell,
      },
      data: calldataExample(context, 'depositAndMarketBuy'),
    },
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
