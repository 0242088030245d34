import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import type { StockContext } from '../context.ts'
import { depositProperties } from '../orders/order-deposit.ts'
import { orderProperties } from '../orders/order-request.ts'
import { clientOrderProperties } from '../schemas.ts'
import { spendingOf } from '../sending/one-click.ts'
import { boundUserProperties, sendForUser, sendProperties, sendSchema } from '../sending/send.ts'
import { WAD_DECIMALS } from '../units.ts'
import { buildDepositAndOrder } from './order-with-deposit-calldata.ts'

const body = Type.Object({
  ...{ ...orderProperties, ...depositProperties },
  ...{ ...boundUserProperties, ...clientOrderProperties, ...sendProperties },
})

/**
 * POST /orders/with-deposit/send: deposits and places an order for the bound user, who has approved the deposited token
 * (seed 4A; stock-api 2.3). Errors: as `buildDepositAndOrder`, `sendForUser`.
 */
export const postOrderWithDepositSend = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/orders/with-deposit/send',
    summary: 'One Click deposit and order in one transaction',
    access: 'WRITABLE',
    schema: { body, data: sendSchema },
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
