import Type from 'typebox'
import type { Hex } from '../../chain/types.ts'
import { SETTLED_AT, WALLET } from '../../http/examples.ts'
import { nullable } from '../../http/schemas.ts'
import { limitToWad } from '../listing/quote.ts'
import { wad } from '../schemas.ts'
import { paidAtOnce, type QuoteBalance, type WalletBalance, wadOf } from './wallet-balance.ts'

const portfolioSchema = Type.Object({
  quote: Type.String({ description: 'The token’s address.' }),
  symbol: Type.String(),
  decimals: Type.Integer({ description: 'Decimals of the token; amounts here have 18.' }),
  balance: wad('The reserve at Gate: free for margin and withdrawals'),
  pendingBalance: Type.Object(
    {
      timestamp: Type.Integer({ description: 'Unix seconds of the newest withdrawal that waits; 0 for none.' }),
      native: Type.Boolean(),
      amount: wad('What waits'),
      exemption: wad('What was paid after waiting, and does not count against the threshold'),
    },
    { description: 'Withdrawals above the threshold, paid pendingDuration after the newest of them.' },
  ),
  totalInBalance: wad('All that came in'),
  totalOutBalance: wad('All that went out'),
  reservedBalance: wad('Margin in positions, orders and ranges of perpetual pairs'),
  thresholdBalance: wad('Net outflow up to which withdrawals are paid at once; 2^256 − 1 for no limit'),
  maxWithdrawable: wad('What a withdrawal pays at once'),
  walletBalance: wad('What the wallet holds itself'),
  allowance: wad('What Gate may take of that; 2^256 − 1 for no limit'),
  imageUrl: Type.String({ description: 'Empty: the venue keeps no images.' }),
  currentPrice: nullable(Type.Number({ description: 'USD: 1 of a stable quote, null where the venue has no price.' })),
})

/** Row 7 of perp-api 2B. */
export const balanceSchema = Type.Object({
  address: Type.String(),
  portfolios: Type.Array(portfolioSchema),
  isBlacklisted: Type.Boolean({ description: 'It may bring no money in; withdrawing and closing stay possible.' }),
  pendingDuration: Type.String({ description: 'Seconds for which a withdrawal above the threshold waits.' }),
})

const portfolioExample: Type.Static<typeof portfolioSchema> = {
  quote: '0x5fbdb2315678afecb367f032d93f642f64180aa3',
  symbol: 'USDC',
  decimals: 6,
  balance: '1500000000000000000000',
  pendingBalance: { timestamp: SETTLED_AT, native: false, amount: '0', exemption: '0' },
  totalInBalance: '2500000000000000000000',
  totalOutBalance: '0',
  reservedBalance: '1000000000000000000000',
  thresholdBalance: '50000000000000000000000',
  maxWithdrawable: '1500000000000000000000',
  walletBalance: '997500000000000000000000',
  allowance: '0',
  imageUrl: '',
  currentPrice: 1,
}

export const balanceExample: Type.Static<typeof balanceSchema> = {
  address: WALLET,
  portfolios: [portfolioExample],
  isBlacklisted: false,
  pendingDuration: '86400',
}

/** A wallet's money on the wire. */
export const balanceView = (
  wallet: Hex,
  { quotes, isBlacklisted, pendingDurationSec }: WalletBalance,
): Type.Static<typeof balanceSchema> => ({
  address: wallet,
  portfolios: quotes.map(portfolioView),
  isBlacklisted,
  pendingDuration: String(pendingDurationSec),
})

function portfolioView(quote: QuoteBalance): Type.Static<typeof portfolioSchema> {
  const { token, reserve, pending, fundFlow, lockedWad, threshold, balance, allowance, isStable } = quote
  return {
    quote: token.address,
    symbol: token.symbol,
    decimals: token.decimals,
    balance: wadOf(reserve, quote),
    pendingBalance: {
      timestamp: pending.timestamp,
      native: pending.native,
      amount: wadOf(pending.amount, quote),
      exemption: wadOf(pending.exemption, quote),
    },
    totalInBalance: wadOf(fundFlow.totalIn, quote),
    totalOutBalance: wadOf(fundFlow.totalOut, quote),
    reservedBalance: String(lockedWad),
    thresholdBalance: String(limitToWad(threshold, token)),
    maxWithdrawable: wadOf(paidAtOnce(quote), quote),
    walletBalance: wadOf(balance, quote),
    allowance: String(limitToWad(allowance, token)),
    imageUrl: '',
    currentPrice: isStable ? 1 : null,
  }
}
