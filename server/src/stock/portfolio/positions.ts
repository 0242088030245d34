import Type from 'typebox'
import { CREATED_AT } from '../../http/examples.ts'
import { nullable } from '../../http/schemas.ts'
import { formatUnits, jsonNumber } from '../../lib/decimal.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import type { LatestQuote } from '../../market/store.ts'
import { STOCK_TOKEN } from '../examples.ts'
import { PRICE_DECIMALS, priceWad } from '../units.ts'
import type { PositionRow } from './position-store.ts'

/** USD per token times tokens, both with 18 decimals. */
const COST_DECIMALS = 2 * WAD_DECIMALS

/**
 * A stock that a user holds at the exchange (stock-api 2.2), valued at the last quote of its token. Quantities and money
 * are exact; `avgPrice` is rounded for people, and nothing is computed on it (docs/decisions/011).
 */
export function positionView(position: PositionRow, quote: LatestQuote | null) {
  const { quantityWad, costE36 } = position
  const valueE36 = quote && quantityWad * priceWad(quote.price8)
  return {
    symbol: position.ticker,
    contractAddress: position.token,
    contractSymbol: position.symbol,
    quantity: formatUnits(quantityWad, WAD_DECIMALS),
    lockedQuantity: formatUnits(position.lockedWad, WAD_DECIMALS),
    avgPrice: costE36 === null ? null : averagePricePaid(costE36, quantityWad),
    costBasis: money(costE36),
    price: quote && jsonNumber(quote.price8, PRICE_DECIMALS),
    lastUpdateTimestamp: quote && Math.floor(quote.sourceTimeMs / 1000),
    marketValue: money(valueE36),
    unrealizedPnl: money(valueE36 === null || costE36 === null ? null : valueE36 - costE36),
  }
}

const money = (usdE36: bigint | null) => (usdE36 === null ? null : formatUnits(usdE36, COST_DECIMALS))

/** Cost by quantity to 8 decimals, half rounded up. */
function averagePricePaid(costE36: bigint, quantityWad: bigint) {
  const unit = 10n ** BigInt(WAD_DECIMALS - PRICE_DECIMALS)
  return jsonNumber((costE36 + (quantityWad * unit) / 2n) / (quantityWad * unit), PRICE_DECIMALS)
}

const moneySchema = (description: string) => nullable(Type.String({ description }))

export const positionSchema = Type.Object({
  symbol: Type.String(),
  contractAddress: Type.String(),
  contractSymbol: Type.String(),
  quantity: Type.String({ description: 'Stock tokens held at the exchange, free and locked.' }),
  lockedQuantity: Type.String({ description: 'Part of them that open sell orders and queued withdrawals hold.' }),
  avgPrice: nullable(
    Type.Number({ description: 'USD paid per token, without fees; null when the cost of a part is not known.' }),
  ),
  costBasis: moneySchema('USD paid for the quantity, without fees; null as avgPrice.'),
  price: nullable(Type.Number({ description: 'Last price, USD per token; null before the first quote.' })),
  lastUpdateTimestamp: nullable(Type.Integer({ description: 'Unix seconds of the quote at its source.' })),
  marketValue: moneySchema('USD: quantity times price.'),
  unrealizedPnl: moneySchema('USD: market value less cost basis.'),
})

export const positionExample = {
  symbol: 'AAPL',
  contractAddress: STOCK_TOKEN,
  contractSymbol: 'aAAPL',
  quantity: '5.5',
  lockedQuantity: '0',
  avgPrice: 180.5,
  costBasis: '992.75',
  price: 181.5,
  lastUpdateTimestamp: CREATED_AT,
  marketValue: '998.25',
  unrealizedPnl: '5.5',
}
