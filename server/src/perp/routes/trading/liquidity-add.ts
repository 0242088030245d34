import type { PerpContext } from '../../context.ts'
import { sendRoute } from './send-route.ts'

/** POST liquidity/add: adds liquidity between two prices (perp-api 2A.0). */
export const postLiquidityAdd = (context: PerpContext) =>
  sendRoute(context, {
    path: '/v4/public/trader/liquidity/add',
    action: 'add-liquidity',
  })
