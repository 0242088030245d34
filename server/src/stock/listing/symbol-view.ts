import Type from 'typebox'
import { CREATED_AT } from '../../http/examples.ts'
import { nullable } from '../../http/schemas.ts'
import { jsonNumber } from '../../lib/decimal.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import type { ListedSymbol } from '../../market/store.ts'
import { STOCK_TOKEN } from '../examples.ts'
import type { StockTokenRow } from '../store.ts'
import { PRICE_DECIMALS } from '../units.ts'
import { incrementProperties, incrementsExample, incrementsView, tokenIncrements } from './increments.ts'

/** Millionths of a price as percent: 4 decimals. */
const PERCENT_DECIMALS = 4

const price = (price8: bigint) => jsonNumber(price8, PRICE_DECIMALS)
const priceOrNull = (price8: bigint | null | undefined) =>
  price8 === null || price8 === undefined ? null : price(price8)

function change24h({ quote }: ListedSymbol) {
  const percent = quote?.change24hPpm ?? null
  return {
    change24H: priceOrNull(quote?.change24h8),
    change24HPercent: percent === null ? null : jsonNumber(percent, PERCENT_DECIMALS),
    volume24H: quote ? jsonNumber(quote.volume24hWad, WAD_DECIMALS) : null,
  }
}

const updatedAtSec = ({ quote }: ListedSymbol) => (quote ? Math.floor(quote.sourceTimeMs / 1000) : null)

/** The token of a symbol on the request's chain. */
function tokenView({ token, market, underlying, sharesPerTokenWad }: TokenOfSymbol) {
  return {
    contractAddress: token.token,
    contractSymbol: token.symbol,
    contractName: token.name,
    decimals: WAD_DECIMALS,
    onChainDecimals: WAD_DECIMALS,
    tradable: token.tradable && market.tradable,
    fractionable: market.fractionable,
    overnightTradable: market.overnightTradable,
    fractionalEhEnabled: market.fractionalEhEnabled,
    sharesPerToken: jsonNumber(sharesPerTokenWad, WAD_DECIMALS),
    ...incrementsView(tokenIncrements(underlying, sharesPerTokenWad)),
  }
}

/** One tradable symbol (stock-api 2.1, GET /symbols). */
export function symbolView(stock: TokenOfSymbol) {
  const { market } = stock
  return {
    symbol: market.symbol,
    name: market.name,
    ...tokenView(stock),
    price: priceOrNull(market.quote?.price8),
    ...change24h(market),
    logoUrl: market.logoUrl,
    pdfUrl: market.pdfUrl,
    lastUpdateTimestamp: updatedAtSec(market),
  }
}

function quoteView(market: ListedSymbol, unit: 'token' | 'share') {
  const { quote } = market
  return {
    symbol: market.symbol,
    name: market.name,
    unit,
    price: priceOrNull(quote?.price8),
    ...change24h(market),
    open: priceOrNull(quote?.open8),
    high: priceOrNull(quote?.high8),
    low: priceOrNull(quote?.low8),
    prevClose: priceOrNull(quote?.previousClose8),
    bid: priceOrNull(quote?.bid8),
    ask: priceOrNull(quote?.ask8),
    lastUpdateTimestamp: updatedAtSec(market),
    logoUrl: market.logoUrl,
  }
}

/** The quote of a symbol's token, as orders name prices; of its share where it has none (stock-api 2.1, GET /prices/{symbol}). */
export const priceView = ({ underlying, stock }: { underlying: ListedSymbol; stock: TokenOfSymbol | null }) => ({
  basicInfo: stock ? quoteView(stock.market, 'token') : quoteView(underlying, 'share'),
  onChain: stock && tokenView(stock),
})

/** The quote of a share (stock-api 2.1, GET /underlying/{symbol}/price). */
export const underlyingView = (underlying: ListedSymbol) => quoteView(underlying, 'share')

const priceSchema = (description: string) => nullable(Type.Number({ description }))
const change24hSchema = {
  change24H: priceSchema('USD, against the last price 24 hours ago.'),
  change24HPercent: priceSchema('Percent.'),
  volume24H: priceSchema('Stock tokens, or shares where the unit is a share.'),
}
const updatedAtSchema = nullable(Type.Integer({ description: 'Unix seconds of the quote at its source.' }))

/** What is known of a token; `market` is in its terms, `underlying` in those of a share. */
export interface TokenOfSymbol {
  readonly token: StockTokenRow
  readonly market: ListedSymbol
  readonly underlying: ListedSymbol
  readonly sharesPerTokenWad: bigint
}

const tokenProperties = {
  contractAddress: Type.String(),
  contractSymbol: Type.String(),
  contractName: Type.String(),
  decimals: Type.Integer(),
  onChainDecimals: Type.Integer(),
  tradable: Type.Boolean(),
  fractionable: Type.Boolean(),
  overnightTradable: Type.Boolean(),
  fractionalEhEnabled: Type.Boolean(),
  sharesPerToken: Type.Number({
    description: 'Shares that one token stands for; a split moves it. Prices of a token are prices of so many shares.',
  }),
  ...incrementProperties,
}

export const symbolSchema = Type.Object({
  symbol: Type.String(),
  name: Type.String(),
  ...tokenProperties,
  price: priceSchema('Last price of a token, USD; null before the first quote.'),
  ...change24hSchema,
  logoUrl: Type.String(),
  pdfUrl: Type.String(),
  lastUpdateTimestamp: updatedAtSchema,
})

const quoteSchema = (unit: string) =>
  Type.Object({
    symbol: Type.String(),
    name: Type.String(),
    unit: Type.Enum(['token', 'share'], { description: unit }),
    price: priceSchema('Last price of one unit, USD; null before the first quote.'),
    ...change24hSchema,
    open: priceSchema('First price of the running trade date.'),
    high: priceSchema('Highest price of the running trade date.'),
    low: priceSchema('Lowest price of the running trade date.'),
    prevClose: priceSchema('Last price of the trade date before.'),
    bid: priceSchema('USD.'),
    ask: priceSchema('USD.'),
    lastUpdateTimestamp: updatedAtSchema,
    logoUrl: Type.String(),
  })

export const priceViewSchema = Type.Object({
  basicInfo: quoteSchema(
    'What prices are of and volumes count: the token, as in orders; the share where onChain is null.',
  ),
  onChain: nullable(Type.Object(tokenProperties)),
})

export const underlyingSchema = quoteSchema(
  'Always share: what one token stands for is sharesPerToken of GET /symbols.',
)

const change24hExample = { change24H: 1.25, change24HPercent: 0.6974, volume24H: 1_250_000 }
const tokenExample = {
  contractAddress: STOCK_TOKEN,
  contractSymbol: 'aAAPL',
  contractName: 'Apple aStock',
  decimals: 18,
  onChainDecimals: 18,
  tradable: true,
  fractionable: true,
  overnightTradable: false,
  fractionalEhEnabled: true,
  sharesPerToken: 1,
  ...incrementsExample,
}

export const symbolExample = {
  symbol: 'AAPL',
  name: 'Apple Inc.',
  ...tokenExample,
  price: 180.5,
  ...change24hExample,
  logoUrl: 'https://example.com/aapl.svg',
  pdfUrl: 'https://example.com/aapl.pdf',
  lastUpdateTimestamp: CREATED_AT,
}

export const priceExample = {
  basicInfo: {
    symbol: 'AAPL',
    name: 'Apple Inc.',
    unit: 'token' as const,
    price: 180.5,
    ...change24hExample,
    open: 179.8,
    high: 181.2,
    low: 179.1,
    prevClose: 179.25,
    bid: 180.49,
    ask: 180.51,
    lastUpdateTimestamp: CREATED_AT,
    logoUrl: 'https://example.com/aapl.svg',
  },
  onChain: tokenExample,
}

export const underlyingExample = { ...priceExample.basicInfo, unit: 'share' as const }
