import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import type { PerpContext } from '../context.ts'
import { perpReasons } from '../reasons.ts'
import { chainIdProperty, checkChainId } from '../schemas.ts'

/** GET market/serverTime (perp-api 2B, row 1). */
export const getServerTime = ({ venue, chainId }: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/trader/market/serverTime',
    summary: 'The venue’s wall clock, Unix milliseconds',
    access: 'OPEN',
    schema: { query: Type.Object(chainIdProperty), data: Type.Integer({ description: 'Unix milliseconds.' }) },
    reasons: [perpReasons.chain_id_differs],
    examples: { data: 1_764_000_000_000 },
    async handler({ query }) {
      checkChainId(chainId, query)
      return venue.clock.nowMs()
    },
  })
