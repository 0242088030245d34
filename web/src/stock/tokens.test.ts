import type { Balance, MarketConfig } from '@bourse/sdk/stock'
import { describe, expect, it } from 'vitest'
import { arriving, movableTokens } from './tokens.ts'
import type { Direction } from './transfer-actions.ts'

/** What becomes of an amount of a token at a fee and a rate, as its form says it. */
function arrives(direction: Direction, amount: string, { fee = '0', rate = '1', decimals = 6 } = {}): string {
  const config = {
    exchangeFeeConfig: { depositFeeRate: fee, withdrawFeeRate: fee },
    cashierTokenConfig: [{ tokenAddress: '0x1', symbol: 'USDC', decimals, usdRate: rate }],
  } as unknown as MarketConfig
  const held = { mUsdBalance: '0', tokenBalances: [] } as unknown as Balance
  const [token] = movableTokens(held, config, direction, 'cash')
  return token?.terms ? `${arriving(token.terms, decimals, amount)} ${token.terms.unit}` : 'nothing'
}

describe('what arrives of a transfer of cash', () => {
  it('lacks a fee of a few parts per million', () => {
    expect(arrives('deposit', '1000', { fee: '0.00004' })).toBe('999.96 USD')
    expect(arrives('withdraw', '1000', { fee: '0.00004' })).toBe('999.96 USDC')
    expect(arrives('withdraw', '500', { fee: '0.0021' })).toBe('498.95 USDC')
  })

  it('goes by what the token is worth', () => {
    expect(arrives('deposit', '5000', { fee: '0.01', rate: '0.9' })).toBe('4455 USD')
    expect(arrives('withdraw', '5000', { fee: '0.01', rate: '0.9' })).toBe('5500 USDC')
  })

  // The figures of test_instant_feeRoundsUpCreditDown and of test_tokensRoundDownFeesUp, which the Cashier gives.
  it('is rounded as the Cashier rounds, the fee up and the rest down', () => {
    expect(arrives('deposit', '1.000000000000000001', { fee: '0.000333', decimals: 18 })).toBe('0.999667 USD')
    expect(arrives('withdraw', '0.999999999999999999', { fee: '0.0021' })).toBe('0.997899 USDC')
    expect(arrives('deposit', '0.000000000000000001', { fee: '0.00004', decimals: 18 })).toBe('0 USD')
  })
})
