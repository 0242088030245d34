import Type from 'typebox'
import { AtBlock, defineRoute } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { pairExample, pairSchema, pairView } from '../../market-data/pair-view.ts'
import { perpReasons } from '../../reasons.ts'
import { chainIdProperty, checkChainId } from '../../schemas.ts'

/** GET /v4/public/market/marketList (perp-api 8). */
export const getMarketList = ({ chainId, summary }: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/market/marketList',
    summary: 'Every open pair, for the published client',
    access: 'PUBLIC',
    schema: { query: Type.Object(chainIdProperty), data: Type.Array(pairSchema) },
    reasons: [perpReasons.chain_id_differs, perpReasons.perp_not_indexed, perpReasons.perp_chain_unreachable],
    examples: { query: { chainId: 31_337 }, data: [pairExample] },
    async handler({ query }) {
      checkChainId(chainId, query)
      const { block, pairs } = await summary()
      return new AtBlock(
        block,
        pairs.map((pair) => pairView(pair, block.timestampSec)),
      )
    },
  })
