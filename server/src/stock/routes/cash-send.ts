import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import type { StockContext } from '../context.ts'
import { addressSchema, amountSchema } from '../schemas.ts'
import { spendingOf } from '../sending/one-click.ts'
import { boundUserProperties, sendForUser, sendProperties, sendSchema } from '../sending/send.ts'
import { buildCashDeposit, buildCashWithdrawal } from './cash-calldata.ts'

const fields = (amount: string) => ({
  tokenAddress: addressSchema('Cash token of GET /config.'),
  tokenAmount: amountSchema(amount),
  ...sendProperties,
})

/**
 * POST /cash/deposits/send: deposits cash from the bound user's wallet, which has approved the token (seed 4A; stock-api
 * 2.4). `userAddress` must not be sent. Errors: as `buildCashDeposit`, `sendForUser`.
 */
export const postDepositSend = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/cash/deposits/send',
    summary: 'One Click cash deposit from the bound user',
    access: 'WRITABLE',
    schema: { body: Type.Object(fields('Token units to deposit.')), data: sendSchema },
    handler: (request) =>
      sendForUser(context, request, request.body, async () => {
        const { calldata, token, amountRaw } = await buildCashDeposit(context, request.body)
        return { calldata, spending: spendingOf(context, token, amountRaw) }
      }),
  })

/** POST /cash/withdrawals/send: withdraws cash to the bound user. Errors: as `buildCashWithdrawal`, `sendForUser`. */
export const postWithdrawalSend = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/cash/withdrawals/send',
    summary: 'One Click cash withdrawal to the bound user',
    access: 'WRITABLE',
    schema: { body: Type.Object({ ...fields('mUSD to withdraw.'), ...boundUserProperties }), data: sendSchema },
    handler: (request) =>
      sendForUser(context, request, request.body, async () => ({
        calldata: await buildCashWithdrawal(context, request.body),
        spending: null,
      })),
  })
