import Type from 'typebox'
import { authReasons } from '../../auth/reasons.ts'
import { delegationReasons } from '../../delegation/reasons.ts'
import { boundUserProperties, SEND_REASONS, sendProperties } from '../../delegation/send.ts'
import { defineRoute } from '../../http/product.ts'
import { addressSchema, amountSchema } from '../../http/schemas.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import type { StockContext } from '../context.ts'
import { STOCK_TOKEN } from '../examples.ts'
import { spendingOf } from '../sending/one-click.ts'
import { sendExample, sendForUser, sendSchema } from '../sending/send.ts'
import { MOVE_REASONS } from './cash-calldata.ts'
import { buildStockMove } from './stock-calldata.ts'

const fields = {
  tokenAddress: addressSchema('Stock token of GET /symbols.'),
  tokenAmount: amountSchema('Stock tokens to move.'),
  ...sendProperties,
}

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
    schema: { body: Type.Object(fields), data: sendSchema },
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

/** POST /stock/withdrawals/send: moves stock to the bound user's wallet. */
export const postStockWithdrawalSend = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/stock/withdrawals/send',
    summary: 'One Click stock withdrawal to the bound user',
    access: 'WRITABLE',
    busy: context.sends.busy,
    schema: { body: Type.Object({ ...fields, ...boundUserProperties }), data: sendSchema },
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
