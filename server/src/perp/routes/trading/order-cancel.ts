import type { PerpContext } from '../../context.ts'
import { sendRoute } from './send-route.ts'

/** POST order/cancel: cancels an order (perp-api 2A.6). */
export const postOrderCancel = (context: PerpContext) =>
  sendRoute(context, {
    path: '/v4/public/trader/order/cancel',
    action: 'cancel',
  })
