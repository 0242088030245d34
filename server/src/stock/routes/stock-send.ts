import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import type { StockContext } from '../context.ts'
import { addressSchema, amountSchema } from '../schemas.ts'
import { spendingOf } from '../sending/one-click.ts'
import { boundUserProperties, sendForUser, sendProperties, sendSchema } from '../sending/send.ts'
import { WAD_DECIMALS } from '../units.ts'
import { buildStockMove } from './stock-calldata.ts'

const fields = {
  tokenAddress: addressSchema('Stock token of GET /symbols.'),
  tokenAmount: amountSchema('Stock tokens to move.'),
  ...sendProperties,
}

/**
 * POST /stock/deposits/send: moves stock from the bound user's wallet, which has approved the token, to the exchange
 * balance (seed 4A; stock-api 2.5). `userAddress` must not be sent. Errors: as `buildStockMove`, `sendForUser`.
 */
export const postStockDepositSend = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/stock/deposits/send',
    summary: 'One Click stock deposit from the bound user',
    access: 'WRITABLE',
    schema: { body: Type.Object(fields), data: sendSchema },
    handler: (request) =>
      sendForUser(context, request, request.body, async () => {
        const { calldata, token, amountWad } = await buildStockMove(context, 'deposits', request.body)
        return { calldata, spending: spendingOf(context, { ...token, decimals: WAD_DECIMALS }, amountWad) }
      }),
  })

/** POST /stock/withdrawals/send: moves stock to the bound user's wallet. Errors: as `buildStockMove`, `sendForUser`. */
export const postStockWithdrawalSend = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/stock/withdrawals/send',
    summary: 'One Click stock withdrawal to the bound user',
    access: 'WRITABLE',
    schema: { body: Type.Object({ ...fields, ...boundUserProperties }), data: sendSchema },
    handler: (request) =>
      sendForUser(context, request, request.body, async () => ({
        calldata: (await buildStockMove(context, 'withdrawals', request.body)).calldata,
        spending: null,
      })),
  })
