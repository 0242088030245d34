import Type from 'typebox'
import { WALLET } from '../../http/examples.ts'
import { defineRoute } from '../../http/product.ts'
import { addressSchema, amountSchema } from '../../http/schemas.ts'
import { parseAmount, UINT256_MAX } from '../../lib/decimal.ts'
import { AppError } from '../../lib/errors.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import { depositStockCalldata, withdrawStockCalldata } from '../calldata/calldata.ts'
import type { StockContext } from '../context.ts'
import { STOCK_TOKEN } from '../examples.ts'
import { stockToken } from '../listing/catalogue.ts'
import { stockReasons } from '../reasons.ts'
import { answerCalldata, calldataExample } from '../recording/calldata-answer.ts'
import { calldataSchema } from '../schemas.ts'
import { MOVE_REASONS } from './cash-calldata.ts'

/** Deposits and withdrawals mirror each other (stock-api 2.5). */
const MOVES = {
  deposits: { name: 'deposit', paused: 'depositPaused', build: depositStockCalldata, method: 'depositStock' },
  withdrawals: { name: 'withdrawal', paused: 'withdrawPaused', build: withdrawStockCalldata, method: 'withdrawStock' },
} as const

const body = Type.Object({
  userAddress: addressSchema('The wallet that will send the transaction.'),
  tokenAddress: addressSchema('Stock token of GET /symbols.'),
  tokenAmount: amountSchema('Stock tokens to move.'),
})

/**
 * POST /stock/deposits/calldata and /stock/withdrawals/calldata: a transaction that moves stock between the wallet and the
 * exchange balance (seed 4A; stock-api 2.5).
 */
export const postStockCalldata = (context: StockContext, kind: keyof typeof MOVES) =>
  defineRoute({
    method: 'POST',
    path: `/api/v1/stock/${kind}/calldata`,
    summary: `Calldata for a stock ${MOVES[kind].name} (StockRouter.${MOVES[kind].method})`,
    access: 'WRITABLE',
    schema: { body, data: calldataSchema },
    description: 'Balance and allowance are not checked.',
    reasons: MOVE_REASONS,
    examples: {
      bodies: { request: { userAddress: WALLET, tokenAddress: STOCK_TOKEN, tokenAmount: '5.5' } },
      data: calldataExample(context, MOVES[kind].method),
    },
    handler: async ({ body, caller }) =>
      answerCalldata(context, caller, (await buildStockMove(context, kind, body)).calldata),
  })

/** A move with its token and amount. Throws `MOVE_REASONS`. */
export async function buildStockMove(
  context: StockContext,
  kind: keyof typeof MOVES,
  { tokenAddress, tokenAmount }: { readonly tokenAddress: string; readonly tokenAmount: string | number },
) {
  const advice = `use POST /api/v1/cash/${kind}/calldata`
  const { token } = stockToken(await context.catalogue(), 'tokenAddress', tokenAddress, advice)
  if (token[MOVES[kind].paused]) {
    throw new AppError(stockReasons.token_paused, `${kind} of ${token.symbol} are paused at the moment`)
  }
  const amountWad = parseAmount(tokenAmount, { field: 'tokenAmount', decimals: WAD_DECIMALS, max: UINT256_MAX })
  return { calldata: MOVES[kind].build(context.router, token.token, amountWad), token, amountWad }
}
