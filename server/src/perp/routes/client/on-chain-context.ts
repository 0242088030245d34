import type { Static } from 'typebox'
import { zeroAddress } from 'viem'
import { AtBlock, defineRoute } from '../../../http/product.ts'
import type { Printed } from '../../../lib/decimal.ts'
import { readContext } from '../../client/context.ts'
import { contextExample, contextSchema, priceDataView, quoteStateView } from '../../client/context-view.ts'
import { clientPortfolio } from '../../client/portfolio-view.ts'
import { contextQuery, PAIR_EXAMPLE } from '../../client/query.ts'
import { quotationView } from '../../client/quotation-view.ts'
import type { PerpContext } from '../../context.ts'
import { asOf } from '../../market-data/full-instruments.ts'
import { fullInstrumentView } from '../../market-data/instrument-full-view.ts'
import { readPriceSources } from '../../market-data/price-sources.ts'
import { INQUIRY_REASONS } from './inquiry-reasons.ts'

/** GET /v4/public/market/getOnChainContext (perp-api 8). */
export const getOnChainContext = (context: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/market/getOnChainContext',
    summary: 'A pair, an account in it and a quotation, all at one block, for the published client',
    access: 'PUBLIC',
    schema: { query: contextQuery, data: contextSchema },
    reasons: INQUIRY_REASONS,
    examples: {
      query: { ...PAIR_EXAMPLE, signedSize: '10000000000000000' },
      data: contextExample,
    },
    async handler({ query }) {
      const { block, answer, instrument, pair, user } = await readContext(context, query)
      const [source] = await readPriceSources(context.venue, [instrument], block.height)
      if (!source) throw new Error(`nothing prices ${instrument.symbol}`)
      const blockInfo = { height: Number(block.height), timestamp: Number(block.timestampSec) }
      const full = { instrument: asOf(instrument, answer), source, shown: answer, states: [answer], block }
      const isSomebody = user !== zeroAddress
      const data: Printed<Static<typeof contextSchema>> = {
        instrument: fullInstrumentView(full),
        inquireRes: query.signedSize === undefined ? null : quotationView(answer.quotation),
        portfolioRes: {
          address: user,
          portfolios: isSomebody ? [clientPortfolio({ ...pair, user }, answer, blockInfo)] : [],
        },
        priceData: priceDataView(answer.priceData, blockInfo),
        quoteState: quoteStateView(answer.quoteState),
      }
      return new AtBlock(block, data)
    },
  })
