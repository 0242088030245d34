// What can be moved: cash tokens by the venue's settings, stock tokens by what is held.
import type { Balance, MarketConfig } from '@bourse/sdk/stock'
import { formatUnits } from 'viem/utils'
import { floorTo, multiply, ratio, subtract } from '../lib/decimal.ts'
import type { Direction, What } from './transfer-actions.ts'

/** The venue's dollars, as screens name them. */
export const CASH_UNIT = 'USD'

export interface Movable {
  readonly address: string
  readonly symbol: string
  readonly decimals: number
  /** Unit of the amount: withdrawals of cash are in dollars of the venue, whatever token they are paid in. */
  readonly unit: string
  readonly available: string
  readonly least: string | null
  /** Of cash: what is taken of it, and what becomes of the rest. */
  readonly terms: CashTerms | null
  readonly paused: boolean
}

interface CashTerms {
  readonly direction: Direction
  readonly feeRate: string
  readonly usdRate: string
  /** Unit of what arrives. */
  readonly unit: string
}

/** What an amount becomes now, to the last digit: the Cashier rounds values down and fees up. */
export function arriving({ direction, feeRate, usdRate }: CashTerms, decimals: number, amount: string): string {
  const rest = subtract('1', feeRate)
  if (direction === 'deposit') return multiply(multiply(amount, usdRate), rest)
  return floorTo(ratio(multiply(amount, rest), usdRate) ?? '0', formatUnits(1n, decimals))
}

export function movableTokens(
  { mUsdBalance, tokenBalances }: Balance,
  { cashierTokenConfig, exchangeFeeConfig }: MarketConfig,
  direction: Direction,
  what: What,
): readonly Movable[] {
  const isDeposit = direction === 'deposit'
  if (what === 'stock') {
    return tokenBalances
      .filter(({ isStock }) => isStock)
      .map(({ address, symbol, decimals, walletBalance, exchangeBalance }) => ({
        address,
        symbol,
        decimals,
        unit: symbol,
        available: isDeposit ? walletBalance : exchangeBalance,
        least: null,
        terms: null,
        paused: false,
      }))
  }
  const walletOf = (token: string): string =>
    tokenBalances.find(({ address }) => address.toLowerCase() === token.toLowerCase())?.walletBalance ?? '0'
  const { depositFeeRate, withdrawFeeRate } = exchangeFeeConfig
  const feeRate = isDeposit ? depositFeeRate : withdrawFeeRate
  return cashierTokenConfig.map(({ tokenAddress, symbol, decimals, usdRate, ...own }) => ({
    address: tokenAddress,
    symbol,
    decimals,
    unit: isDeposit ? symbol : CASH_UNIT,
    available: isDeposit ? walletOf(tokenAddress) : mUsdBalance,
    least: isDeposit ? own.minAmount : null,
    terms: { direction, feeRate, usdRate, unit: isDeposit ? CASH_UNIT : symbol },
    paused: isDeposit ? own.depositPaused : own.withdrawPaused,
  }))
}
