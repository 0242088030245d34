import type { PerpContext } from '../../context.ts'
import { sendRoute } from './send-route.ts'

/** POST position/adjust: brings a position to a leverage (perp-api 2A.6). */
export const postPositionAdjust = (context: PerpContext) =>
  sendRoute(context, {
    path: '/v4/public/trader/position/adjust',
    action: 'adjust',
  })
