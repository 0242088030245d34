import Type from 'typebox'
import { authReasons } from '../../auth/reasons.ts'
import { delegationReasons } from '../../delegation/reasons.ts'
import { boundUserProperties, SEND_REASONS, sendProperties } from '../../delegation/send.ts'
import { defineRoute } from '../../http/product.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import type { StockContext } from '../context.ts'
import { DEPOSIT_EXAMPLES, DEPOSIT_REASONS, depositProperties } from '../orders/order-deposit.ts'
import { orderProperties } from '../orders/order-request.ts'
import { stockReasons } from '../reasons.ts'
import { clientOrderProperties } from '../schemas.ts'
import { spendingOf } from '../sending/one-click.ts'
import { sendExample, sendForUser, sendSchema } from '../sending/send.ts'
import { buildDepositAndOrder } from './order-with-deposit-calldata.ts'

const body = Type.Object({
  ...orderProperties,
  ...depositProperties,
  ...boundUserProperties,
  ...clientOrderProperties,
  ...sendProperties,
})

/**
 * POST /orders/with-deposit/send: deposits and places an order for the bound user, who has approved the deposited token
 * (seed 4A; stock-api 2.3).
 */
export const postOrderWithDepositSend = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/orders/with-deposit/send',
    summary: 'One Click deposit and order in one transaction',
    access: 'WRITABLE',
    busy: context.sends.busy,
    schema: { body, data: sendSchema },
    reasons: [
      ...SEND_REASONS,
      ...DEPOSIT_REASONS,
      delegationReasons.allowance_too_low,
      authReasons.user_not_bound,
      stockReasons.client_order_id_taken,
    ],
    examples: {
      bodies: {
        'deposit cash and buy at the market': DEPOSIT_EXAMPLES.marketBuy,
        'deposit stock and sell at a limit': DEPOSIT_EXAMPLES.limitSell,
      },
      data: sendExample(context, 'trade'),
    },
    handler: (request) =>
      sendForUser(context, request, request.body, async () => {
        const { calldata, deposit } = await buildDepositAndOrder(context, request.body)
        const { cashTokens, stocks } = await context.catalogue()
        const stock = stocks.get(deposit.token)?.token
        const token = cashTokens.get(deposit.token) ?? (stock && { ...stock, decimals: WAD_DECIMALS })
        if (!token) throw new Error(`the deposit of ${deposit.token} was built and is not in the catalogue`)
        return { calldata, spending: spendingOf(context, token, deposit.amountRaw) }
      }),
  })
