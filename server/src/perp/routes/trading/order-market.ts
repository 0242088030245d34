import type { PerpContext } from '../../context.ts'
import { sendRoute } from './send-route.ts'

/** POST order/market: trades at the market (perp-api 2A.2). */
export const postOrderMarket = (context: PerpContext) =>
  sendRoute(context, {
    path: '/v4/public/trader/order/market',
    action: 'market',
  })
