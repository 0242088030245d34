import type { PerpContext } from '../../context.ts'
import { sendRoute } from './send-route.ts'

/** POST liquidity/remove: removes a range of liquidity (perp-api 2A.0). */
export const postLiquidityRemove = (context: PerpContext) =>
  sendRoute(context, {
    path: '/v4/public/trader/liquidity/remove',
    action: 'remove-liquidity',
  })
