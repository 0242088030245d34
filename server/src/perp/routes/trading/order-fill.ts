import type { PerpContext } from '../../context.ts'
import { sendRoute } from './send-route.ts'

/** POST order/fill: turns an order of which everything was taken into a position (perp-api 2A.6). */
export const postOrderFill = (context: PerpContext) =>
  sendRoute(context, {
    path: '/v4/public/trader/order/fill',
    action: 'fill',
    description:
      'Sent as a cancel of the order, which comes to the same once everything of it is taken and costs no tip.',
  })
