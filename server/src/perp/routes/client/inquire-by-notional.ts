import Type from 'typebox'
import { AtBlock, defineRoute } from '../../../http/product.ts'
import { EXPECTED } from '../../../http/validation.ts'
import { byInstrument, PAIR_EXAMPLE } from '../../client/query.ts'
import { quotationExample, quotationSchema, quotationView } from '../../client/quotation-view.ts'
import { askObserver } from '../../client/reads.ts'
import type { PerpContext } from '../../context.ts'
import { requirePair } from '../../market-data/resolve-pair.ts'
import { chainIdProperty, checkChainId } from '../../schemas.ts'
import { INQUIRY_REASONS } from './inquiry-reasons.ts'

/** GET /v4/public/market/inquireByNotional (perp-api 8). */
export const getInquireByNotional = (context: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/market/inquireByNotional',
    summary: 'What a trade of a notional would do, and its size, for the published client',
    access: 'PUBLIC',
    schema: {
      query: Type.Object({
        ...byInstrument,
        notional: Type.String({
          pattern: '^\\d{1,38}$',
          [EXPECTED]: 'a whole number with 18 decimals',
          description: 'Quote with 18 decimals.',
        }),
        long: Type.Enum(['true', 'false'], { description: 'Whether it buys.' }),
        ...chainIdProperty,
      }),
      data: quotationSchema,
    },
    reasons: INQUIRY_REASONS,
    examples: {
      query: { ...PAIR_EXAMPLE, notional: '600000000000000000000', long: 'true' },
      data: { size: '10000000000000000', ...quotationExample },
    },
    async handler({ query }) {
      checkChainId(context.chainId, query)
      const { pair } = await requirePair(context, query.instrument, query.expiry)
      const args = [pair.instrument, pair.expiry, BigInt(query.notional), query.long === 'true'] as const
      const { block, answer } = await askObserver(context.venue, 'inquireByQuote', args)
      return new AtBlock(block, quotationView(answer[1], answer[0]))
    },
  })
