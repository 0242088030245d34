import Type from 'typebox'
import { CREATED_AT, TX_HASH, WALLET } from '../../http/examples.ts'
import { nullable } from '../../http/schemas.ts'
import { jsonNumber } from '../../lib/decimal.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import type { LatestQuote } from '../../market/store.ts'
import type { OrderTerms } from '../calldata/calldata.ts'
import type { StockContext } from '../context.ts'
import type { Catalogue } from '../listing/catalogue.ts'
import { shareLimit8 } from '../listing/shares.ts'
import { PRICE_DECIMALS } from '../units.ts'
import { type ExpectedFill, fillAt, isMarketable, ratesOf, type ShareMarket } from './expected-fill.ts'
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
  const market = { ...stock.underlying, sharesPerTokenWad: stock.sharesPerTokenWad }
  const fill = expectedFill(order, chain, market)
  const fillsNow = isMarketable(terms, market) && tradesIn(session, stock, terms) && (fill?.quantityWad ?? 0n) > 0n
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
    expectedFill: fill && { fillsNow, ...fillView(terms, fill) },
    deposit: depositView(catalogue, request, chain),
  }
}

/** At the current price where the order would execute there, else at its limit. */
function expectedFill({ terms }: OrderRequest, { feeRates }: ChainPreview, market: ShareMarket): ExpectedFill | null {
  const { quote, sharesPerTokenWad } = market
  if (terms.type === 'Limit' && !isMarketable(terms, market)) {
    const limit8 = shareLimit8(terms.priceWad, sharesPerTokenWad, terms.side === 'Buy' ? 'buy' : 'sell')
    return fillAt(terms, limit8, market, feeRates)
  }
  return quote && fillAt(terms, terms.side === 'Buy' ? quote.ask8 : quote.bid8, market, feeRates)
}

const price = (price8: bigint) => jsonNumber(price8, PRICE_DECIMALS)

const priceView = ({ price8, bid8, ask8, sourceTimeMs }: LatestQuote) => ({
  price: price(price8),
  bid: price(bid8),
  ask: price(ask8),
  updatedAt: Math.floor(sourceTimeMs / 1000),
})

const fillView = (terms: OrderTerms, fill: ExpectedFill) => ({
  price: amount(fill.priceWad),
  quantity: amount(fill.quantityWad),
  notional: amount(fill.notionalWad),
  thirdPartyFee: amount(fill.thirdPartyFeeWad),
  protocolFee: amount(fill.protocolFeeWad),
  feeAmount: amount(fill.thirdPartyFeeWad + fill.protocolFeeWad),
  unfilledQuantity: 'quantityWad' in terms ? amount(fill.unfilledWad) : null,
  unspentNotional: 'quantityWad' in terms ? null : amount(fill.unfilledWad),
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
    thirdPartyFeeRate: fraction('Part of the filled notional'),
    protocolFeeRate: fraction('Part of the filled notional'),
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
        quantity: Type.Number({ description: 'Tokens, in the steps that the broker trades; 0 when all is too fine.' }),
        notional: Type.Number({ description: 'USD, without fees.' }),
        thirdPartyFee: Type.Number(),
        protocolFee: Type.Number(),
        feeAmount: Type.Number(),
        unfilledQuantity: nullable(
          Type.Number({
            description:
              'Tokens of the order that are finer than the broker trades, and come back; null for a market buy.',
          }),
        ),
        unspentNotional: nullable(
          Type.Number({ description: 'USD of a market buy that buy nothing at this price, and come back.' }),
        ),
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
    notional: 999.99999989637,
    thirdPartyFee: 0.99999999989637,
    protocolFee: 0.099999999989637,
    feeAmount: 1.099999999886007,
    unfilledQuantity: null,
    unspentNotional: 0.00000010363,
  },
  deposit: null,
})
