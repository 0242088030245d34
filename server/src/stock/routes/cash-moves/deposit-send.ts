import Type from 'typebox'
import { delegationReasons } from '../../../delegation/reasons.ts'
import { SEND_REASONS, sendProperties } from '../../../delegation/send.ts'
import { defineRoute } from '../../../http/product.ts'
import type { StockContext } from '../../context.ts'
import { CASH_TOKEN } from '../../examples.ts'
import { spendingOf } from '../../sending/one-click.ts'
import { sendExample, sendForUser, sendSchema } from '../../sending/send.ts'
import { MOVE_REASONS } from '../move-request.ts'
import { buildCashDeposit, cashProperties } from './cash-move.ts'

/**
 * POST /cash/deposits/send: deposits cash from the bound user's wallet, which has approved the token (seed 4A; stock-api
 * 2.4). `userAddress` must not be sent.
 */
export const postCashDepositSend = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/cash/deposits/send',
    summary: 'One Click cash deposit from the bound user',
    access: 'WRITABLE',
    busy: context.sends.busy,
    schema: {
      body: Type.Object({ ...cashProperties('Token units to deposit.'), ...sendProperties }),
      data: sendSchema,
    },
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
