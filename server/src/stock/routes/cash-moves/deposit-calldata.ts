import Type from 'typebox'
import { WALLET } from '../../../http/examples.ts'
import { defineRoute } from '../../../http/product.ts'
import type { StockContext } from '../../context.ts'
import { CASH_TOKEN } from '../../examples.ts'
import { answerCalldata, calldataExample } from '../../recording/calldata-answer.ts'
import { calldataSchema } from '../../schemas.ts'
import { MOVE_REASONS, senderProperties } from '../move-request.ts'
import { buildCashDeposit, cashProperties } from './cash-move.ts'

/** POST /cash/deposits/calldata: a transaction that deposits cash (seed 4A; stock-api 2.4). */
export const postCashDepositCalldata = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/cash/deposits/calldata',
    summary: 'Calldata for a cash deposit (StockRouter.deposit)',
    access: 'WRITABLE',
    schema: {
      body: Type.Object({ ...senderProperties, ...cashProperties('Token units to deposit.') }),
      data: calldataSchema,
    },
    description: 'Balance and allowance are not checked.',
    reasons: MOVE_REASONS,
    examples: {
      bodies: { request: { userAddress: WALLET, tokenAddress: CASH_TOKEN, tokenAmount: '2500.5' } },
      data: calldataExample(context, 'deposit'),
    },
    handler: async ({ body, caller }) =>
      answerCalldata(context, caller, (await buildCashDeposit(context, body)).calldata),
  })
