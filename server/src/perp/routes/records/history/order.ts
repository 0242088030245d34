import type { PerpContext } from '../../../context.ts'
import { closedOrderExample, closedOrderSchema } from '../../../portfolio/order-view.ts'
import { closedOrders } from '../../../portfolio/records.ts'
import { getHistory } from './history-route.ts'

/** GET history/order: orders of an account that have ended (perp-api 8). */
export const getPublicOrders = (context: PerpContext) =>
  getHistory(context, {
    name: 'order',
    summary: 'A wallet’s orders that have ended, newest end first',
    item: closedOrderSchema,
    example: closedOrderExample,
    read: (asked, page) => closedOrders(context, asked, page),
  })
