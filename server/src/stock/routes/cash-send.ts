import Type from 'typebox'
import { authReasons } from '../../auth/reasons.ts'
import { delegationReasons } from '../../delegation/reasons.ts'
import { boundUserProperties, SEND_REASONS, sendProperties } from '../../delegation/send.ts'
import { defineRoute } from '../../http/product.ts'
import { addressSchema, amountSchema } from '../../http/schemas.ts'
import type { StockContext } from '../context.ts'
import { CASH_TOKEN } from '../examples.ts'
import { spendingOf } from '../sending/one-click.ts'
import { sendExample, sendForUser, sendSchema } from '../sending/send.ts'
import { buildCashDeposit, buildCashWithdrawal, MOVE_REASONS } from './cash-calldata.ts'

const fields = (amount: string) => ({
  tokenAddress: addressSchema('Cash token of GET /config.'),
  tokenAmount: amountSchema(amount),
  ...sendProperties,
})

/**
 * POST /cash/deposits/send: deposits cash from the bound user's wallet, which has approved the token (seed 4A; stock-api
 * 2.4). `userAddress` must not be sent.
 */
export const postDepositSend = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/cash/deposits/send',
    summary: 'One Click cash deposit from the bound user',
    access: 'WRITABLE',
    busy: context.sends.busy,
    schema: { body: Type.Object(fields('Token units to deposit.')), data: sendSchema },
    reasons: [...SEND_REASONS, ...MOVE_REASONS, delegationReasons.allowance_too_low],
    examples: {
      bodies: { request: { tokenAddress: CASH_TOKEN, tokenAmount: '2500.5' } },
      data: sendExample(context, 'deposit'),
    },
    handler: (request) =>
      sendForUser(context, request, request.body, async () => {
        const { calldata, token, amountRaw } = await buildCashDeposit(context, request.body)
        return { calldata, spending: spendingOf(context, token, amountRaw) }
      }),
  })

/** POST /cash/withdrawals/send: withdraws cash to the bound user. */
export const postWithdrawalSend = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/cash/withdrawals/send',
    summary: 'One Click cash withdrawal to the bound user',
    access: 'WRITABLE',
    busy: context.sends.busy,
    schema: { body: Type.Object({ ...fields('mUSD to withdraw.'), ...boundUserProperties }), data: sendSchema },
    reasons: [...SEND_REASONS, ...MOVE_REASONS, authReasons.user_not_bound],
    examples: {
      bodies: { request: { tokenAddress: CASH_TOKEN, tokenAmount: '2500.5' } },
      data: sendExample(context, 'withdraw'),
    },
    handler: (request) =>
      sendForUser(context, request, request.body, async () => ({
        calldata: await buildCashWithdrawal(context, request.body),
        spending: null,
      })),
  })
