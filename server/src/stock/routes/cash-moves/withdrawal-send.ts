import Type from 'typebox'
import { authReasons } from '../../../auth/reasons.ts'
import { boundUserProperties, SEND_REASONS, sendProperties } from '../../../delegation/send.ts'
import { defineRoute } from '../../../http/product.ts'
import type { StockContext } from '../../context.ts'
import { CASH_TOKEN } from '../../examples.ts'
import { sendExample, sendForUser, sendSchema } from '../../sending/send.ts'
import { MOVE_REASONS } from '../move-request.ts'
import { buildCashWithdrawal, cashProperties } from './cash-move.ts'

/** POST /cash/withdrawals/send: withdraws cash to the bound user. */
export const postCashWithdrawalSend = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/cash/withdrawals/send',
    summary: 'One Click cash withdrawal to the bound user',
    access: 'WRITABLE',
    busy: context.sends.busy,
    schema: {
      body: Type.Object({ ...cashProperties('mUSD to withdraw.'), ...sendProperties, ...boundUserProperties }),
      data: sendSchema,
    },
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
