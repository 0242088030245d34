import Type from 'typebox'
import { AtBlock, defineRoute } from '../../../http/product.ts'
import { byInstrument, PAIR_EXAMPLE, sizeSchema } from '../../client/query.ts'
import { quotationExample, quotationSchema, quotationView } from '../../client/quotation-view.ts'
import { askObserver } from '../../client/reads.ts'
import type { PerpContext } from '../../context.ts'
import { requirePair } from '../../market-data/resolve-pair.ts'
import { chainIdProperty, checkChainId } from '../../schemas.ts'
import { INQUIRY_REASONS } from './inquiry-reasons.ts'

/** GET /v4/public/market/inquire (perp-api 8). */
export const getInquire = (context: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/market/inquire',
    summary: 'What a trade of a size would do, for the published client',
    access: 'PUBLIC',
    schema: {
      query: Type.Object({
        ...byInstrument,
        size: sizeSchema('Base with 18 decimals, positive buys.'),
        ...chainIdProperty,
      }),
      data: quotationSchema,
    },
    reasons: INQUIRY_REASONS,
    examples: { query: { ...PAIR_EXAMPLE, size: '10000000000000000' }, data: quotationExample },
    async handler({ query }) {
      checkChainId(context.chainId, query)
      const { pair } = await requirePair(context, query.instrument, query.expiry)
      const args = [pair.instrument, pair.expiry, BigInt(query.size)] as const
      const { block, answer } = await askObserver(context.venue, 'inquireByBase', args)
      return new AtBlock(block, quotationView(answer[0]))
    },
  })
