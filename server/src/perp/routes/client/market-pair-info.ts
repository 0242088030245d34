import Type from 'typebox'
import { AtBlock, defineRoute } from '../../../http/product.ts'
import { byAddress, PAIR_EXAMPLE } from '../../client/query.ts'
import type { PerpContext } from '../../context.ts'
import { pairExample, pairSchema, pairView } from '../../market-data/pair-view.ts'
import { requirePair } from '../../market-data/resolve-pair.ts'
import { perpReasons } from '../../reasons.ts'
import { chainIdProperty, checkChainId } from '../../schemas.ts'

const { instrument: address, ...PAIR } = PAIR_EXAMPLE

/** GET /v4/public/market/marketPairInfo (perp-api 8). */
export const getMarketPairInfo = (context: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/market/marketPairInfo',
    summary: 'A pair of the market list, for the published client',
    access: 'PUBLIC',
    schema: { query: Type.Object({ ...byAddress, ...chainIdProperty }), data: pairSchema },
    reasons: [
      perpReasons.instrument_unknown,
      perpReasons.pair_unknown,
      perpReasons.chain_id_differs,
      perpReasons.perp_not_indexed,
      perpReasons.perp_chain_unreachable,
    ],
    examples: { query: { address, ...PAIR }, data: pairExample },
    async handler({ query }) {
      checkChainId(context.chainId, query)
      const { pair } = await requirePair(context, query.address, query.expiry)
      const { block, pairs } = await context.summary()
      const found = pairs.find((one) => one.instrument.address === pair.instrument && one.expiry === pair.expiry)
      return new AtBlock(block, found && pairView(found, block.timestampSec))
    },
  })
