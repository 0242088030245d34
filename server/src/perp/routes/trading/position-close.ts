import type { PerpContext } from '../../context.ts'
import { sendRoute } from './send-route.ts'

/** POST position/close: closes a position or a part of it (perp-api 2A.6). */
export const postPositionClose = (context: PerpContext) =>
  sendRoute(context, {
    path: '/v4/public/trader/position/close',
    action: 'close',
    description: 'When a part is closed, the margin stays with the rest of the position.',
  })
