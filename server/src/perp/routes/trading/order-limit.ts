import type { PerpContext } from '../../context.ts'
import { sendRoute } from './send-route.ts'

/** POST order/limit: places an order that rests (perp-api 2A.3). */
export const postOrderLimit = (context: PerpContext) =>
  sendRoute(context, {
    path: '/v4/public/trader/order/limit',
    action: 'limit',
    description:
      'An order whose price is reached trades up to that price first, through what rests at it too, unless it is postOnly; the rest rests ten ticks from where that leaves the price.',
  })
