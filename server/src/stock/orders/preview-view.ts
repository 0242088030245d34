import Type from 'typebox'
import { CREATED_AT, TX_HASH, WALLET } from '../../http/examples.ts'
import { nullable } from '../../http/schemas.ts'
import { jsonNumber } from '../../lib/decimal.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import type { LatestQuote } from '../../market/store.ts'
import type { StockContext } from '../context.ts'
import type { Catalogue } from '../listing/catalogue.ts'
import { PRICE_DECIMALS, priceWad } from '../units.ts'
import { type ExpectedFill, fillAt, isMarketable, ratesOf, type TokenQuote } from './expected-fill.ts'
import { tradesIn } from './fractions.ts'
import type { OrderRequest } from './order-request.ts'
import type { ChainPreview, PreviewRequest } from './preview.ts'

const PPM_DECIMALS = 6
const amount = (wad: bigint) => jsonNumber(wad, WAD_DECIMALS)

/** What the preview of an order answers. */
export function previewView(
  { chainId, productType, venue }: StockContext,
  catalogue: Catalogue,
  request: PreviewRequest,
  chain: ChainPreview,
) {
  const { user, order } = request
  const { stock, terms } = order
  const rates = ratesOf(chain.feeRates, terms.side)
  const session = catalogue.hours.session(venue.clock.nowMs())
  const { quote } = stock.market
  const prices = quote && { bidWad: priceWad(quote.bid8), askWad: priceWad(quote.ask8) }
  const fillsNow = prices !== null && isMarketable(terms, prices) && tradesIn(session, stock, terms)
  const fill = expectedFill(order, chain, prices)
  return {
    chainId,
    productType,
    userAddress: user,
    method: chain.method,
    blockNumber: Number(chain.block.number),
    blockHash: chain.block.hash,
    blockTimestamp: chain.block.timestampSec,
    succeeds: chain.reverts === null,
    reverts: chain.reverts,
    lock: { asset: terms.side === 'Buy' ? 'mUSD' : stock.token.symbol, amount: amount(chain.lockedWad) },
    fees: {
      thirdPartyFeeRate: jsonNumber(BigInt(rates.thirdPartyPpm), PPM_DECIMALS),
      protocolFeeRate: jsonNumber(BigInt(rates.protocolPpm), PPM_DECIMALS),
    },
    currentPrice: quote && priceView(quote),
    expectedFill: fill && { fillsNow, ...fillView(fill) },
    deposit: depositView(catalogue, request, chain),
  }
}

/** At the current price where the order would execute there, else at its limit. */
function expectedFill(
  { terms }: OrderRequest,
  { feeRates }: ChainPreview,
  quote: TokenQuote | null,
): ExpectedFill | null {
  if (terms.type === 'Limit' && (quote === null || !isMarketable(terms, quote))) {
    return fillAt(terms, terms.priceWad, feeRates)
  }
  return quote && fillAt(terms, terms.side === 'Buy' ? quote.askWad : quote.bidWad, feeRates)
}

const price = (price8: bigint) => jsonNumber(price8, PRICE_DECIMALS)

const priceView = ({ price8, bid8, ask8, sourceTimeMs }: LatestQuote) => ({
  price: price(price8),
  bid: price(bid8),
  ask: price(ask8),
  updatedAt: Math.floor(sourceTimeMs / 1000),
})

const fillView = (fill: ExpectedFill) => ({
  price: amount(fill.priceWad),
  quantity: amount(fill.quantityWad),
  notional: amount(fill.notionalWad),
  thirdPartyFee: amount(fill.thirdPartyFeeWad),
  protocolFee: amount(fill.protocolFeeWad),
  feeAmount: amount(fill.thirdPartyFeeWad + fill.protocolFeeWad),
})

function depositView(catalogue: Catalogue, { order, deposit }: PreviewRequest, { credit }: ChainPreview) {
  if (deposit === null) return null
  const { token, amountRaw } = deposit
  if (order.terms.side === 'Sell') {
    return { tokenAddress: token, amount: amount(amountRaw), creditAmount: amount(amountRaw), isInstant: true }
  }
  const decimals = catalogue.cashTokens.get(token)?.decimals ?? WAD_DECIMALS
  return {
    tokenAddress: token,
    amount: jsonNumber(amountRaw, decimals),
    creditAmount: credit && amount(credit.creditWad),
    isInstant: credit?.isInstant ?? false,
  }
}

const fraction = (description: string) => Type.Number({ description: `${description}; a fraction, 0.001 is 10 bps` })

export const previewSchema = Type.Object({
  chainId: Type.Integer(),
  productType: Type.String(),
  userAddress: Type.String(),
  method: Type.String({ description: 'The StockRouter function that was tried.' }),
  blockNumber: Type.Integer({ description: 'The block at which all was asked of the contracts.' }),
  blockHash: Type.String(),
  blockTimestamp: Type.Integer({ description: 'Unix seconds.' }),
  succeeds: Type.Boolean({ description: 'Whether the transaction would succeed, sent at this block.' }),
  reverts: nullable(
    Type.Object(
      {
        name: Type.String({ description: 'The custom error; Unknown when no contract of the venue has it.' }),
        args: Type.Record(Type.String(), Type.String()),
        explanation: Type.String({ description: 'What it means and what would be right.' }),
      },
      { description: 'Null when the transaction would succeed.' },
    ),
  ),
  lock: Type.Object({
    asset: Type.String({ description: 'mUSD for a buy, the stock token’s symbol for a sell.' }),
    amount: Type.Number({ description: 'What the order would lock; of a buy with the fees on all of it.' }),
  }),
  fees: Type.Object({
    thirdPartyFeeRate: fraction('Of the filled notional'),
    protocolFeeRate: fraction('Of the filled notional'),
  }),
  currentPrice: nullable(
    Type.Object({
      price: Type.Number({ description: 'Last price, USD per token.' }),
      bid: Type.Number(),
      ask: Type.Number(),
      updatedAt: Type.Integer({ description: 'Unix seconds of the quote at its source.' }),
    }),
  ),
  expectedFill: nullable(
    Type.Object(
      {
        fillsNow: Type.Boolean({
          description:
            'True at the current ask or bid; false when the order would rest, then the figures are at its limit.',
        }),
        price: Type.Number({ description: 'USD per token.' }),
        quantity: Type.Number(),
        notional: Type.Number({ description: 'USD, without fees.' }),
        thirdPartyFee: Type.Number(),
        protocolFee: Type.Number(),
        feeAmount: Type.Number(),
      },
      { description: 'An estimate: the broker’s price decides. Null for a market order before the first quote.' },
    ),
  ),
  deposit: nullable(
    Type.Object({
      tokenAddress: Type.String(),
      amount: Type.Number({ description: 'Token units.' }),
      creditAmount: nullable(Type.Number({ description: 'mUSD of a buy, stock tokens of a sell.' })),
      isInstant: Type.Boolean({ description: 'An order with deposit succeeds only when this is true.' }),
    }),
  ),
})

/** A market buy for 1,000 USD. */
export const previewExample = ({ chainId, productType }: StockContext) => ({
  chainId,
  productType,
  userAddress: WALLET,
  method: 'placeMarketOrder',
  blockNumber: 1024,
  blockHash: TX_HASH,
  blockTimestamp: CREATED_AT,
  succeeds: true,
  reverts: null,
  lock: { asset: 'mUSD', amount: 1001.1 },
  fees: { thirdPartyFeeRate: 0.001, protocolFeeRate: 0.0001 },
  currentPrice: { price: 180.5, bid: 180.49, ask: 180.51, updatedAt: CREATED_AT },
  expectedFill: {
    fillsNow: true,
    price: 180.51,
    quantity: 5.539859287,
    notional: 1000,
    thirdPartyFee: 1,
    protocolFee: 0.1,
    feeAmount: 1.1,
  },
  deposit: null,
})
