import Type from 'typebox'
import { cashierAbi } from '../../chain/abi/cashier.ts'
import { stockAbi } from '../../chain/abi/stock.ts'
import { contractAddress } from '../../chain/deployment.ts'
import { contractRead, readContracts } from '../../chain/read.ts'
import { RpcError } from '../../chain/rpc-error.ts'
import { classifySimulation } from '../../chain/send/classify.ts'
import { addressSchema, amountSchema } from '../../http/schemas.ts'
import { formatUnits, parseAmount, UINT96_MAX, UINT256_MAX } from '../../lib/decimal.ts'
import { AppError, type Reason } from '../../lib/errors.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import { type OrderDeposit, type OrderTerms, signedAmountWad } from '../calldata/calldata.ts'
import type { StockContext } from '../context.ts'
import { CASH_TOKEN } from '../examples.ts'
import { cashToken } from '../listing/catalogue.ts'
import { stockReasons } from '../reasons.ts'
import { ORDER_EXAMPLES, ORDER_REASONS, type OrderRequest } from './order-request.ts'

/** What an order with deposit has beyond the fields of an order (stock-api 2.3). */
export const depositProperties = {
  depositTokenAddress: Type.Optional(
    addressSchema('Buy: the cash token to deposit, required. Sell: the stock itself, if it is sent at all.'),
  ),
  depositAmount: amountSchema('Buy: units of the cash token. Sell: stock tokens.'),
}

const { marketBuy, marketSell, limitBuy, limitSell } = ORDER_EXAMPLES

/** Bodies of each kind of order with deposit, for the reference. */
export const DEPOSIT_EXAMPLES = {
  marketBuy: { ...marketBuy, depositTokenAddress: CASH_TOKEN, depositAmount: '1002' },
  limitBuy: { ...limitBuy, depositTokenAddress: CASH_TOKEN, depositAmount: '904' },
  marketSell: { ...marketSell, depositAmount: '1.25' },
  limitSell: { ...limitSell, depositAmount: '5' },
} as const

/** Why an order with its deposit is refused. */
export const DEPOSIT_REASONS = [
  ...ORDER_REASONS,
  stockReasons.deposit_token_missing,
  stockReasons.deposit_too_small,
  stockReasons.deposit_not_instant,
  stockReasons.chain_unreachable,
] as const

export interface DepositFields {
  readonly depositTokenAddress?: string
  readonly depositAmount: string | number
}

/**
 * Reads the deposit of an order: cash for a buy, the stock itself for a sell. Throws `deposit_token_missing`,
 * `field_not_applicable`, `token_unknown`, `token_of_other_kind`, `token_paused`, `amount_invalid`, and
 * `deposit_too_small` below the token's minimum.
 */
export async function readDeposit(
  context: StockContext,
  { stock, terms }: OrderRequest,
  { depositTokenAddress, depositAmount }: DepositFields,
): Promise<OrderDeposit> {
  const field = 'depositTokenAddress'
  if (terms.side === 'Sell') {
    const { token, symbol, depositPaused } = stock.token
    if (depositPaused) throw paused(symbol)
    if (depositTokenAddress !== undefined && depositTokenAddress.toLowerCase() !== token) {
      const message = `a sell deposits the stock it sells: ${field} must be left out or be ${token}`
      throw refused(stockReasons.field_not_applicable, field, message)
    }
    const rule = { field: 'depositAmount', decimals: WAD_DECIMALS, max: UINT256_MAX }
    return { token, amountRaw: parseAmount(depositAmount, rule) }
  }
  if (depositTokenAddress === undefined) {
    const message = `${field} is required for a buy with deposit: the cash token to deposit`
    throw refused(stockReasons.deposit_token_missing, field, message)
  }
  const advice = 'a buy deposits a cash token of GET /api/v1/config'
  const cash = cashToken(await context.catalogue(), field, depositTokenAddress, advice)
  if (cash.depositPaused) throw paused(cash.symbol)
  const rule = { field: 'depositAmount', decimals: cash.decimals, max: UINT96_MAX }
  const amountRaw = parseAmount(depositAmount, rule)
  if (amountRaw >= cash.minAmountRaw) return { token: cash.token, amountRaw }
  throw tooSmall(`the smallest deposit of ${cash.symbol} is ${formatUnits(cash.minAmountRaw, cash.decimals)}`)
}

/**
 * Refuses a deposit that the router would: a sell of more than is deposited; a buy whose deposit would be queued or whose
 * credit does not cover the lock, as the contracts say it now. Throws `deposit_too_small`, `deposit_not_instant`,
 * `chain_unreachable`.
 */
export async function requireSufficientDeposit(
  context: StockContext,
  { terms }: OrderRequest,
  deposit: OrderDeposit,
): Promise<void> {
  if (terms.side === 'Sell') {
    if (deposit.amountRaw >= terms.quantityWad) return
    throw tooSmall(`it must cover the ${formatUnits(terms.quantityWad, WAD_DECIMALS)} that are sold`)
  }
  const reads = [...depositReads(context, deposit), lockRead(context, terms)] as const
  const [isInstant, creditWad, lockWad] = await readContracts(context.venue.rpc, reads).catch((cause) => {
    // The cashier cannot even count a deposit that is beyond its types.
    if (cause instanceof RpcError && classifySimulation(cause).kind === 'reverted') throw notInstant()
    const message = 'the chain node does not answer, so whether the deposit covers the order cannot be said'
    throw new AppError(stockReasons.chain_unreachable, message, { cause })
  })
  if (!isInstant) throw notInstant()
  if (creditWad >= lockWad) return
  const [credit, lock] = [creditWad, lockWad].map((wad) => formatUnits(wad, WAD_DECIMALS))
  throw tooSmall(`the order locks ${lock} mUSD, fees included, and the deposit credits ${credit}`)
}

/** Whether the deposit of a buy would be credited at once, and with how much mUSD. */
export function depositReads(context: StockContext, { token, amountRaw }: OrderDeposit) {
  const cashier = { address: contractAddress(context.venue.deployment, 'Cashier'), abi: cashierAbi }
  return [
    contractRead(cashier, 'canInstantDeposit', token, amountRaw),
    contractRead(cashier, 'tokenToBalanceWadInstant', token, amountRaw),
  ] as const
}

/** What an order would lock: mUSD of a buy, fees included, stock tokens of a sell; 18 decimals. */
export function lockRead(context: StockContext, terms: OrderTerms) {
  const stock = { address: contractAddress(context.venue.deployment, 'Stock'), abi: stockAbi }
  const amount = signedAmountWad(terms)
  if (terms.type === 'Market') return contractRead(stock, 'previewLock', amount)
  return contractRead(stock, 'previewLimitLock', amount, terms.priceWad)
}

const paused = (symbol: string) =>
  new AppError(stockReasons.token_paused, `deposits of ${symbol} are paused at the moment`)

const notInstant = () =>
  refused(
    stockReasons.deposit_not_instant,
    'depositAmount',
    'the cashier would not credit this deposit at once, as an order needs it: deposit less, or deposit first and place the order when it is settled',
  )

const tooSmall = (why: string) =>
  refused(stockReasons.deposit_too_small, 'depositAmount', `depositAmount is too small: ${why}`)

const refused = (reason: Reason, field: string, message: string) => new AppError(reason, message, { detail: { field } })
