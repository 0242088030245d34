import Type from 'typebox'
import { authReasons } from '../../../auth/reasons.ts'
import { boundUserProperties, SEND_REASONS, sendProperties } from '../../../delegation/send.ts'
import { defineRoute } from '../../../http/product.ts'
import type { StockContext } from '../../context.ts'
import { STOCK_TOKEN } from '../../examples.ts'
import { sendExample, sendForUser, sendSchema } from '../../sending/send.ts'
import { MOVE_REASONS } from '../move-request.ts'
import { buildStockMove, stockProperties } from './stock-move.ts'

/** POST /stock/withdrawals/send: moves stock to the bound user's wallet. */
export const postStockWithdrawalSend = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/stock/withdrawals/send',
    summary: 'One Click stock withdrawal to the bound user',
    access: 'WRITABLE',
    busy: context.sends.busy,
    schema: { body: Type.Object({ ...stockProperties, ...sendProperties, ...boundUserProperties }), data: sendSchema },
    reasons: [...SEND_REASONS, ...MOVE_REASONS, authReasons.user_not_bound],
    examples: {
      bodies: { request: { tokenAddress: STOCK_TOKEN, tokenAmount: '5.5' } },
      data: sendExample(context, 'withdraw'),
    },
    handler: (request) =>
      sendForUser(context, request, request.body, async () => ({
        calldata: (await buildStockMove(context, 'withdrawals', request.body)).calldata,
        spending: null,
      })),
  })
