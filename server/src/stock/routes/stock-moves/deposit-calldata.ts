import Type from 'typebox'
import { WALLET } from '../../../http/examples.ts'
import { defineRoute } from '../../../http/product.ts'
import type { StockContext } from '../../context.ts'
import { STOCK_TOKEN } from '../../examples.ts'
import { answerCalldata, calldataExample } from '../../recording/calldata-answer.ts'
import { calldataSchema } from '../../schemas.ts'
import { MOVE_REASONS, senderProperties } from '../move-request.ts'
import { buildStockMove, stockProperties } from './stock-move.ts'

/**
 * POST /stock/deposits/calldata: a transaction that moves stock from the wallet to the exchange balance (seed 4A; stock-api
 * 2.5).
 */
export const postStockDepositCalldata = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/stock/deposits/calldata',
    summary: 'Calldata for a stock deposit (StockRouter.depositStock)',
    access: 'WRITABLE',
    schema: { body: Type.Object({ ...senderProperties, ...stockProperties }), data: calldataSchema },
    description: 'Balance and allowance are not checked.',
    reasons: MOVE_REASONS,
    examples: {
      bodies: { request: { userAddress: WALLET, tokenAddress: STOCK_TOKEN, tokenAmount: '5.5' } },
      data: calldataExample(context, 'depositStock'),
    },
    handler: async ({ body, caller }) =>
      answerCalldata(context, caller, (await buildStockMove(context, 'deposits', body)).calldata),
  })
