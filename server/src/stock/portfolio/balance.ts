import Type from 'typebox'
import { erc20Abi } from 'viem'
import { cashierAbi } from '../../chain/abi/cashier.ts'
import { stockAbi } from '../../chain/abi/stock.ts'
import { contractAddress } from '../../chain/deployment.ts'
import { contractRead, readGroups } from '../../chain/read.ts'
import type { Rpc } from '../../chain/rpc.ts'
import type { Deployment, Hex } from '../../chain/types.ts'
import { WALLET } from '../../http/examples.ts'
import { nullable } from '../../http/schemas.ts'
import { formatUnits, jsonNumber } from '../../lib/decimal.ts'
import { AppError } from '../../lib/errors.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import type { StockContext } from '../context.ts'
import { CASH_TOKEN, STOCK_TOKEN } from '../examples.ts'
import type { Catalogue } from '../listing/catalogue.ts'
import { stockReasons } from '../reasons.ts'
import { PRICE_DECIMALS } from '../units.ts'

export interface BalanceRequest {
  readonly rpc: Rpc
  readonly deployment: Deployment
  readonly catalogue: Catalogue
  readonly user: Hex
  /** Whose allowance is asked for; null for nobody's. */
  readonly spender: Hex | null
}

/**
 * Cash, stock and wallet balances of a user, read from the chain at one block: Cashier, Stock, token balances and
 * allowances (stock-api 2.2). Throws `chain_unreachable` rather than give an older figure.
 */
export async function readBalances(request: BalanceRequest) {
  const tokens = tokensOf(request.catalogue)
  const reads = [cashRead(request), ...tokens.map((token) => tokenReads(request, token))] as const
  const [[cashWad], ...ofTokens] = await readGroups(request.rpc, reads).catch((cause) => {
    const message = 'the chain node does not answer, so balances cannot be read; nothing older is shown instead'
    throw new AppError(stockReasons.chain_unreachable, message, { cause })
  })
  return {
    mUsdBalance: formatUnits(cashWad, WAD_DECIMALS),
    tokenBalances: ofTokens.map(([wallet, allowance, exchange], index) => {
      const token = tokens[index] as (typeof tokens)[number]
      return {
        ...token,
        walletBalance: formatUnits(wallet, token.decimals),
        walletAllowance: formatUnits(allowance, token.decimals),
        exchangeBalance: formatUnits(exchange, token.decimals),
      }
    }),
  }
}

const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000'

function tokensOf({ cashTokens, stocks }: Catalogue) {
  const cash = [...cashTokens.values()].map(({ token, symbol, decimals }) => ({
    address: token,
    name: symbol,
    symbol,
    stockSymbol: null,
    isStock: false,
    decimals,
    price: null,
  }))
  const stock = [...stocks.values()].map(({ token, market }) => ({
    address: token.token,
    name: token.name,
    symbol: token.symbol,
    stockSymbol: token.ticker,
    isStock: true,
    decimals: WAD_DECIMALS,
    price: market.quote && jsonNumber(market.quote.price8, PRICE_DECIMALS),
  }))
  return [...cash, ...stock]
}

function cashRead({ deployment, user }: BalanceRequest) {
  const cashier = { address: contractAddress(deployment, 'Cashier'), abi: cashierAbi }
  return [contractRead(cashier, 'balanceWad', user)] as const
}

/** Wallet balance, allowance and exchange balance, in this order. Cash is not held at the exchange (stock-api 2.2). */
function tokenReads({ deployment, user, spender }: BalanceRequest, { address }: { address: Hex }) {
  const token = { address, abi: erc20Abi }
  const exchange = { address: contractAddress(deployment, 'Stock'), abi: stockAbi }
  return [
    contractRead(token, 'balanceOf', user),
    contractRead(token, 'allowance', user, spender ?? ZERO_ADDRESS),
    contractRead(exchange, 'stockBalance', user, address),
  ] as const
}

export const balanceSchema = Type.Object({
  chainId: Type.Integer(),
  productType: Type.String(),
  address: Type.String(),
  mUsdBalance: Type.String({ description: 'Free cash at the venue.' }),
  tokenBalances: Type.Array(
    Type.Object({
      address: Type.String(),
      name: Type.String(),
      symbol: Type.String(),
      stockSymbol: nullable(Type.String()),
      isStock: Type.Boolean(),
      decimals: Type.Integer(),
      price: nullable(Type.Number({ description: 'USD; stock tokens only.' })),
      walletBalance: Type.String(),
      walletAllowance: Type.String({ description: 'Allowance of spenderAddress; 0 when none was given.' }),
      exchangeBalance: Type.String({ description: 'Free stock held at the venue.' }),
    }),
  ),
})

export const balanceExample = ({ chainId, productType }: StockContext) => ({
  chainId,
  productType,
  address: WALLET,
  mUsdBalance: '1497.25',
  tokenBalances: [
    {
      address: CASH_TOKEN,
      name: 'USDC',
      symbol: 'USDC',
      stockSymbol: null,
      isStock: false,
      decimals: 6,
      price: null,
      walletBalance: '997500',
      walletAllowance: '0',
      exchangeBalance: '0',
    },
    {
      address: STOCK_TOKEN,
      name: 'Apple aStock',
      symbol: 'aAAPL',
      stockSymbol: 'AAPL',
      isStock: true,
      decimals: 18,
      price: 180.5,
      walletBalance: '0',
      walletAllowance: '0',
      exchangeBalance: '5.5',
    },
  ],
})
