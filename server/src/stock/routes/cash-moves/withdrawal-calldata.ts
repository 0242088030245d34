import Type from 'typebox'
import { WALLET } from '../../../http/examples.ts'
import { defineRoute } from '../../../http/product.ts'
import type { StockContext } from '../../context.ts'
import { CASH_TOKEN } from '../../examples.ts'
import { answerCalldata, calldataExample } from '../../recording/calldata-answer.ts'
import { calldataSchema } from '../../schemas.ts'
import { MOVE_REASONS, senderProperties } from '../move-request.ts'
import { buildCashWithdrawal, cashProperties } from './cash-move.ts'

/** POST /cash/withdrawals/calldata: a transaction that withdraws mUSD as a cash token (stock-api 2.4). */
export const postCashWithdrawalCalldata = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/cash/withdrawals/calldata',
    summary: 'Calldata for a cash withdrawal (StockRouter.withdraw)',
    access: 'WRITABLE',
    schema: {
      body: Type.Object({ ...senderProperties, ...cashProperties('mUSD to withdraw.') }),
      data: calldataSchema,
    },
    reasons: MOVE_REASONS,
    examples: {
      bodies: { request: { userAddress: WALLET, tokenAddress: CASH_TOKEN, tokenAmount: '2500.5' } },
      data: calldataExample(context, 'withdraw'),
    },
    handler: async ({ body, caller }) => answerCalldata(context, caller, await buildCashWithdrawal(context, body)),
  })
