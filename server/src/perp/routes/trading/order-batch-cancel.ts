import type { PerpContext } from '../../context.ts'
import { sendRoute } from './send-route.ts'

/** POST order/batch-cancel: cancels several orders of a pair (perp-api 2A.6). */
export const postOrderBatchCancel = (context: PerpContext) =>
  sendRoute(context, {
    path: '/v4/public/trader/order/batch-cancel',
    action: 'batch-cancel',
    description: 'All of them in one transaction, however many. Orders that are not open are told and left out.',
    tellsOrders: true,
  })
