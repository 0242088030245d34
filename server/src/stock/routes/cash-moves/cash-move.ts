import { addressSchema, amountSchema } from '../../../http/schemas.ts'
import { parseAmount, UINT96_MAX } from '../../../lib/decimal.ts'
import { AppError } from '../../../lib/errors.ts'
import { WAD_DECIMALS } from '../../../lib/wad.ts'
import { type Calldata, depositCalldata, withdrawCalldata } from '../../calldata/calldata.ts'
import type { StockContext } from '../../context.ts'
import { cashToken } from '../../listing/catalogue.ts'
import { stockReasons } from '../../reasons.ts'
import type { CashTokenRow } from '../../store.ts'
import type { MoveFields } from '../move-request.ts'

// What a move of cash takes, and its transaction.

/** Where a stock token goes (stock-api 2.5: the cash endpoints are not for stock tokens). */
const STOCK_ADVICE = {
  deposit: 'use POST /api/v1/stock/deposits/calldata',
  withdraw: 'use POST /api/v1/stock/withdrawals/calldata',
}

export const cashProperties = (amount: string) => ({
  tokenAddress: addressSchema('Cash token of GET /config.'),
  tokenAmount: amountSchema(amount),
})

/** A deposit with what it takes from the wallet. Throws `MOVE_REASONS`. */
export async function buildCashDeposit(context: StockContext, { tokenAddress, tokenAmount }: MoveFields) {
  const token = cashToken(await context.catalogue(), 'tokenAddress', tokenAddress, STOCK_ADVICE.deposit)
  if (token.depositPaused) throw paused(token, 'deposits')
  const amountRaw = parseAmount(tokenAmount, { field: 'tokenAmount', decimals: token.decimals, max: UINT96_MAX })
  return { calldata: depositCalldata(context.router, token.token, amountRaw), token, amountRaw }
}

/** A withdrawal. Throws `MOVE_REASONS`. */
export async function buildCashWithdrawal(
  context: StockContext,
  { tokenAddress, tokenAmount }: MoveFields,
): Promise<Calldata> {
  const token = cashToken(await context.catalogue(), 'tokenAddress', tokenAddress, STOCK_ADVICE.withdraw)
  if (token.withdrawPaused) throw paused(token, 'withdrawals')
  const amountWad = parseAmount(tokenAmount, { field: 'tokenAmount', decimals: WAD_DECIMALS, max: UINT96_MAX })
  return withdrawCalldata(context.router, token.token, amountWad)
}

function paused({ symbol }: CashTokenRow, what: string): AppError {
  return new AppError(stockReasons.token_paused, `${what} of ${symbol} are paused at the moment`)
}
