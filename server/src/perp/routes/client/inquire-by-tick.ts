import Type from 'typebox'
import { AtBlock, defineRoute } from '../../../http/product.ts'
import { byInstrument, PAIR_EXAMPLE } from '../../client/query.ts'
import { quotationExample, quotationSchema, quotationView } from '../../client/quotation-view.ts'
import { askObserver } from '../../client/reads.ts'
import type { PerpContext } from '../../context.ts'
import { requirePair } from '../../market-data/resolve-pair.ts'
import { MAX_TICK, MIN_TICK } from '../../maths/tick.ts'
import { chainIdProperty, checkChainId } from '../../schemas.ts'
import { INQUIRY_REASONS } from './inquiry-reasons.ts'

/** GET /v4/public/market/inquireByTick (perp-api 8). */
export const getInquireByTick = (context: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/market/inquireByTick',
    summary: 'What a trade to a tick would do, and its size, for the published client',
    access: 'PUBLIC',
    schema: {
      query: Type.Object({
        ...byInstrument,
        tick: Type.Integer({ minimum: MIN_TICK, maximum: MAX_TICK, description: 'Tick of the price to reach.' }),
        ...chainIdProperty,
      }),
      data: quotationSchema,
    },
    reasons: INQUIRY_REASONS,
    examples: { query: { ...PAIR_EXAMPLE, tick: 110_025 }, data: { size: '10000000000000000', ...quotationExample } },
    async handler({ query }) {
      checkChainId(context.chainId, query)
      const { pair } = await requirePair(context, query.instrument, query.expiry)
      const args = [pair.instrument, pair.expiry, query.tick] as const
      const { block, answer } = await askObserver(context.venue, 'inquireByTick', args)
      return new AtBlock(block, quotationView(answer[1], answer[0]))
    },
  })
