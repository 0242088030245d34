import Type from 'typebox'
import { WALLET } from '../../http/examples.ts'
import { defineRoute } from '../../http/product.ts'
import { addressSchema, amountSchema } from '../../http/schemas.ts'
import { decimalReasons, parseAmount, UINT96_MAX } from '../../lib/decimal.ts'
import { AppError } from '../../lib/errors.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import { type Calldata, depositCalldata, withdrawCalldata } from '../calldata/calldata.ts'
import type { StockContext } from '../context.ts'
import { CASH_TOKEN } from '../examples.ts'
import { cashToken, TOKEN_REASONS } from '../listing/catalogue.ts'
import { stockReasons } from '../reasons.ts'
import { answerCalldata, calldataExample } from '../recording/calldata-answer.ts'
import { calldataSchema } from '../schemas.ts'
import type { CashTokenRow } from '../store.ts'

/** Where a stock token goes (stock-api 2.5: the cash endpoints are not for stock tokens). */
const STOCK_ADVICE = {
  deposit: 'use POST /api/v1/stock/deposits/calldata',
  withdraw: 'use POST /api/v1/stock/withdrawals/calldata',
}

const body = (amount: string) =>
  Type.Object({
    userAddress: addressSchema('The wallet that will send the transaction.'),
    tokenAddress: addressSchema('Cash token of GET /config.'),
    tokenAmount: amountSchema(amount),
  })

const bodies = { request: { userAddress: WALLET, tokenAddress: CASH_TOKEN, tokenAmount: '2500.5' } }

/** Why a move of cash or stock between wallet and venue is refused. */
export const MOVE_REASONS = [decimalReasons.amount_invalid, ...TOKEN_REASONS] as const

/** POST /cash/deposits/calldata: a transaction that deposits cash (seed 4A; stock-api 2.4). */
export const postDepositCalldata = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/cash/deposits/calldata',
    summary: 'Calldata for a cash deposit (StockRouter.deposit)',
    access: 'WRITABLE',
    schema: { body: body('Token units to deposit.'), data: calldataSchema },
    description: 'Balance and allowance are not checked.',
    reasons: MOVE_REASONS,
    examples: { bodies, data: calldataExample(context, 'deposit') },
    handler: async ({ body, caller }) =>
      answerCalldata(context, caller, (await buildCashDeposit(context, body)).calldata),
  })

/** POST /cash/withdrawals/calldata: a transaction that withdraws mUSD as a cash token (stock-api 2.4). */
export const postWithdrawalCalldata = (context: StockContext) =>
  defineRoute({
    method: 'POST',
    path: '/api/v1/cash/withdrawals/calldata',
    summary: 'Calldata for a cash withdrawal (StockRouter.withdraw)',
    access: 'WRITABLE',
    schema: { body: body('mUSD to withdraw.'), data: calldataSchema },
    reasons: MOVE_REASONS,
    examples: { bodies, data: calldataExample(context, 'withdraw') },
    handler: async ({ body, caller }) => answerCalldata(context, caller, await buildCashWithdrawal(context, body)),
  })

interface CashFields {
  readonly tokenAddress: string
  readonly tokenAmount: string | number
}

/** A deposit with what it takes from the wallet. Throws `MOVE_REASONS`. */
export async function buildCashDeposit(context: StockContext, { tokenAddress, tokenAmount }: CashFields) {
  const token = cashToken(await context.catalogue(), 'tokenAddress', tokenAddress, STOCK_ADVICE.deposit)
  if (token.depositPaused) throw paused(token, 'deposits')
  const amountRaw = parseAmount(tokenAmount, { field: 'tokenAmount', decimals: token.decimals, max: UINT96_MAX })
  return { calldata: depositCalldata(context.router, token.token, amountRaw), token, amountRaw }
}

/** A withdrawal. Throws `MOVE_REASONS`. */
export async function buildCashWithdrawal(
  context: StockContext,
  { tokenAddress, tokenAmount }: CashFields,
): Promise<Calldata> {
  const token = cashToken(await context.catalogue(), 'tokenAddress', tokenAddress, STOCK_ADVICE.withdraw)
  if (token.withdrawPaused) throw paused(token, 'withdrawals')
  const amountWad = parseAmount(tokenAmount, { field: 'tokenAmount', decimals: WAD_DECIMALS, max: UINT96_MAX })
  return withdrawCalldata(context.router, token.token, amountWad)
}

function paused({ symbol }: CashTokenRow, what: string): AppError {
  return new AppError(stockReasons.token_paused, `${what} of ${symbol} are paused at the moment`)
}
