import type { PerpContext } from '../../context.ts'
import { sendRoute } from './send-route.ts'

/** POST position/margin: moves margin into a position or out of it (perp-api 2A.0). */
export const postPositionMargin = (context: PerpContext) =>
  sendRoute(context, {
    path: '/v4/public/trader/position/margin',
    action: 'margin',
  })
