import Type from 'typebox'
import type { Hex } from '../../../chain/types.ts'
import { WALLET } from '../../../http/examples.ts'
import { defineRoute } from '../../../http/product.ts'
import { ofUser } from '../../client/query.ts'
import type { PerpContext } from '../../context.ts'
import { volumes } from '../../portfolio/records.ts'
import { volumesExample, volumesSchema } from '../../portfolio/volume-view.ts'
import { perpReasons } from '../../reasons.ts'
import { chainIdProperty, checkChainId } from '../../schemas.ts'

/** GET /v4/public/market/user/volumes (perp-api 8). */
export const getVolumes = (context: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/market/user/volumes',
    summary: 'What a wallet has traded, by pair, for the published client',
    description: 'As a taker, by orders that were taken, and by forced closes, since the venue began.',
    access: 'PUBLIC',
    schema: { query: Type.Object({ ...ofUser, ...chainIdProperty }), data: volumesSchema },
    reasons: [perpReasons.chain_id_differs, perpReasons.perp_not_indexed, perpReasons.perp_chain_unreachable],
    examples: { query: { userAddress: WALLET, chainId: 31_337 }, data: volumesExample },
    async handler({ query }) {
      checkChainId(context.chainId, query)
      return volumes(context, { trader: query.userAddress.toLowerCase() as Hex })
    },
  })
