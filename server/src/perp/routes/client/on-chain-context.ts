import Type from 'typebox'
import { zeroAddress } from 'viem'
import { AtBlock, defineRoute } from '../../../http/product.ts'
import { readContext } from '../../client/context.ts'
import { clientPortfolio } from '../../client/portfolio-view.ts'
import { contextQuery, PAIR_EXAMPLE } from '../../client/query.ts'
import { quotationExample, quotationSchema, quotationView } from '../../client/quotation-view.ts'
import type { PerpContext } from '../../context.ts'
import { asOf } from '../../market-data/full-instruments.ts'
import { fullInstrumentView } from '../../market-data/instrument-full-view.ts'
import type { PairState } from '../../market-data/pair-reader.ts'
import { readPriceSources } from '../../market-data/price-sources.ts'
import { INQUIRY_REASONS } from './inquiry-reasons.ts'
import { fullInstrumentSchema } from './instrument.ts'

const anyFields = (description: string) => Type.Object({}, { additionalProperties: true, description })

/** GET /v4/public/market/getOnChainContext (perp-api 8). */
export const getOnChainContext = (context: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/market/getOnChainContext',
    summary: 'A pair, an account in it and a quotation, all at one block, for the published client',
    access: 'PUBLIC',
    schema: {
      query: contextQuery,
      data: Type.Object({
        instrument: fullInstrumentSchema,
        inquireRes: Type.Union([quotationSchema, Type.Null()]),
        portfolioRes: anyFields('What the account has in the pair; of nobody, nothing.'),
        priceData: anyFields('Mark, spot and benchmark price, and the feeds they come from.'),
        quoteState: anyFields('The account’s reserve, wallet and allowance, in token units.'),
      }),
    },
    reasons: INQUIRY_REASONS,
    examples: {
      query: { ...PAIR_EXAMPLE, signedSize: '10000000000000000' },
      data: {
        instrument: {
          instrumentAddr: PAIR_EXAMPLE.instrument,
          symbol: 'BTC-USDC-LINK',
          condition: 0,
          spotPrice: '60000000000000000000000',
        },
        inquireRes: quotationExample,
        portfolioRes: { address: zeroAddress, portfolios: [] },
        priceData: {},
        quoteState: {},
      },
    },
    async handler({ query }) {
      const { block, answer, instrument, pair, user } = await readContext(context, query)
      const [source] = await readPriceSources(context.venue, [instrument], block.height)
      if (!source) throw new Error(`nothing prices ${instrument.symbol}`)
      const blockInfo = { height: Number(block.height), timestamp: Number(block.timestampSec) }
      const full = { instrument: asOf(instrument, answer), source, shown: answer, states: [answer], block }
      const isSomebody = user !== zeroAddress
      return new AtBlock(block, {
        instrument: fullInstrumentView(full),
        inquireRes: query.signedSize === undefined ? null : quotationView(answer.quotation),
        portfolioRes: {
          address: user,
          portfolios: isSomebody ? [clientPortfolio({ ...pair, user }, answer, blockInfo)] : [],
        },
        priceData: priceDataView(answer.priceData, blockInfo),
        quoteState: quoteStateView(answer.quoteState),
      })
    },
  })

function priceDataView(
  { instrument, feeder0UpdatedAt, feeder1UpdatedAt, ...prices }: PairState['priceData'],
  blockInfo: { readonly height: number; readonly timestamp: number },
) {
  const { markPrice, spotPrice, benchmarkPrice, ...feeders } = prices
  return {
    instrumentAddr: instrument.toLowerCase(),
    ...feeders,
    markPrice: String(markPrice),
    spotPrice: String(spotPrice),
    benchmarkPrice: String(benchmarkPrice),
    feeder0UpdatedAt: String(feeder0UpdatedAt),
    feeder1UpdatedAt: String(feeder1UpdatedAt),
    blockInfo,
  }
}

function quoteStateView({ quote, decimals, symbol, fundFlow, pending, ...amounts }: PairState['quoteState']) {
  const { threshold, reserve, balance, allowance } = amounts
  return {
    address: quote.toLowerCase(),
    decimals,
    symbol,
    threshold: String(threshold),
    reserve: String(reserve),
    balance: String(balance),
    allowance: String(allowance),
    fundFlow: { totalIn: String(fundFlow.totalIn), totalOut: String(fundFlow.totalOut) },
    pending: { ...pending, amount: String(pending.amount), exemption: String(pending.exemption) },
  }
}
