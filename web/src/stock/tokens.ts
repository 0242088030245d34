// What can be moved: cash tokens by the venue's settings, stock tokens by what is held.
import type { Balance, MarketConfig } from '@bourse/sdk/stock'
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
  readonly feeRate: string | null
  readonly paused: boolean
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
        feeRate: null,
        paused: false,
      }))
  }
  const walletOf = (token: string): string =>
    tokenBalances.find(({ address }) => address.toLowerCase() === token.toLowerCase())?.walletBalance ?? '0'
  return cashierTokenConfig.map(({ tokenAddress, symbol, decimals, minAmount, depositPaused, withdrawPaused }) => ({
    address: tokenAddress,
    symbol,
    decimals,
    unit: isDeposit ? symbol : CASH_UNIT,
    available: isDeposit ? walletOf(tokenAddress) : mUsdBalance,
    least: isDeposit ? minAmount : null,
    feeRate: isDeposit ? exchangeFeeConfig.depositFeeRate : exchangeFeeConfig.withdrawFeeRate,
    paused: isDeposit ? depositPaused : withdrawPaused,
  }))
}
