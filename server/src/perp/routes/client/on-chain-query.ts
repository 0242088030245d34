import { AtBlock, defineRoute } from '../../../http/product.ts'
import { readContext } from '../../client/context.ts'
import { observerView, observerViewExample, observerViewSchema } from '../../client/observer-view.ts'
import { contextQuery, PAIR_EXAMPLE } from '../../client/query.ts'
import type { PerpContext } from '../../context.ts'
import { INQUIRY_REASONS } from './inquiry-reasons.ts'

/** GET /v4/public/market/getOnChainContext/onChainQuery (perp-api 8). */
export const getOnChainQuery = (context: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/market/getOnChainContext/onChainQuery',
    summary: 'The same as the contracts’ reader answers it, for the published client',
    description:
      'The fields of Observer.fetchOnChainContext, their names capitalised; amounts are whole numbers as text, in the contracts’ own units.',
    access: 'PUBLIC',
    schema: { query: contextQuery, data: observerViewSchema },
    reasons: INQUIRY_REASONS,
    examples: {
      query: { ...PAIR_EXAMPLE, signedSize: '10000000000000000' },
      data: observerViewExample,
    },
    async handler({ query }) {
      const { block, answer } = await readContext(context, query)
      return new AtBlock(block, observerView(answer, query.signedSize !== undefined))
    },
  })
