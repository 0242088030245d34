import Type from 'typebox'
import { delegationReasons } from '../../../delegation/reasons.ts'
import { SEND_REASONS, sendProperties } from '../../../delegation/send.ts'
import { defineRoute } from '../../../http/product.ts'
import { WAD_DECIMALS } from '../../../lib/wad.ts'
import type { StockContext } from '../../context.ts'
import { STOCK_TOKEN } from '../../examples.ts'
import { spendingOf } from '../../sending/one-click.ts'
import { sendExample, sendForUser, sendSchema } from '../../sending/send.ts'
import { MOVE_REASONS } from '../move-request.ts'
import { buildStockMove, stockProperties } from './stock-move.ts'

/**
 * POST /stock/deposits/send: moves stock from the bound user's wallet, which has approved the token, to the exchange
 * balance (seed 4A; stock-api 2.5). `userAddress` must not be sent.
 */
export const postStockDepositSend = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/stock/deposits/send',
    summary: 'One Click stock deposit from the bound user',
    access: 'WRITABLE',
    busy: context.sends.busy,
    schema: { body: Type.Object({ ...stockProperties, ...sendProperties }), data: sendSchema },
    reasons: [...SEND_REASONS, ...MOVE_REASONS, delegationReasons.allowance_too_low],
    examples: {
      bodies: { request: { tokenAddress: STOCK_TOKEN, tokenAmount: '5.5' } },
      data: sendExample(context, 'deposit'),
    },
    handler: (request) =>
      sendForUser(context, request, request.body, async () => {
        const { calldata, token, amountWad } = await buildStockMove(context, 'deposits', request.body)
        return { calldata, spending: spendingOf(context, { ...token, decimals: WAD_DECIMALS }, amountWad) }
      }),
  })
