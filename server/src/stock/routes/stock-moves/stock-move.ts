import { addressSchema, amountSchema } from '../../../http/schemas.ts'
import { parseAmount, UINT256_MAX } from '../../../lib/decimal.ts'
import { AppError } from '../../../lib/errors.ts'
import { WAD_DECIMALS } from '../../../lib/wad.ts'
import { depositStockCalldata, withdrawStockCalldata } from '../../calldata/calldata.ts'
import type { StockContext } from '../../context.ts'
import { stockToken } from '../../listing/catalogue.ts'
import { stockReasons } from '../../reasons.ts'
import type { MoveFields } from '../move-request.ts'

// What a move of stock takes, and its transaction.

/** Deposits and withdrawals mirror each other (stock-api 2.5). */
const MOVES = {
  deposits: { paused: 'depositPaused', build: depositStockCalldata },
  withdrawals: { paused: 'withdrawPaused', build: withdrawStockCalldata },
} as const

export const stockProperties = {
  tokenAddress: addressSchema('Stock token of GET /symbols.'),
  tokenAmount: amountSchema('Stock tokens to move.'),
}

/** A move with its token and amount. Throws `MOVE_REASONS`. */
export async function buildStockMove(
  context: StockContext,
  kind: keyof typeof MOVES,
  { tokenAddress, tokenAmount }: MoveFields,
) {
  const advice = `use POST /api/v1/cash/${kind}/calldata`
  const { token } = stockToken(await context.catalogue(), 'tokenAddress', tokenAddress, advice)
  if (token[MOVES[kind].paused]) {
    throw new AppError(stockReasons.token_paused, `${kind} of ${token.symbol} are paused at the moment`)
  }
  const amountWad = parseAmount(tokenAmount, { field: 'tokenAmount', decimals: WAD_DECIMALS, max: UINT256_MAX })
  return { calldata: MOVES[kind].build(context.router, token.token, amountWad), token, amountWad }
}
