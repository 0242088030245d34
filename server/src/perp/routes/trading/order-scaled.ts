import type { PerpContext } from '../../context.ts'
import { sendRoute } from './send-route.ts'

/** POST order/scaled: places two to nine orders in one call (perp-api 2A.6). */
export const postOrderScaled = (context: PerpContext) =>
  sendRoute(context, {
    path: '/v4/public/trader/order/scaled',
    action: 'scaled',
  })
