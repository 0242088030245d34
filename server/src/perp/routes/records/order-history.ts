import Type from 'typebox'
import { defineRoute } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { closedOrderExample, closedOrderSchema } from '../../portfolio/order-view.ts'
import { pageQuery, pageSchema } from '../../portfolio/page.ts'
import { closedOrders } from '../../portfolio/records.ts'
import { traderOf } from '../../portfolio/trader.ts'
import { ofPair, PAIR_PAGE_REASONS, TRADER } from './shared.ts'

const LARGEST_PAGE = 200

/** GET order/history (perp-api 2B, row 12). */
export const getOrderHistory = (context: PerpContext, path = `${TRADER}/order/history`) =>
  defineRoute({
    method: 'GET',
    path,
    summary: 'The wallet’s orders that have ended, newest end first',
    description:
      'An order ends when it is filled or cancelled. One that was taken whole is `filled`, also where a cancel made it a ' +
      'position, as One Click does. One that was cancelled after a part of it was taken is `partial_filled`. Times of the query are ' +
      'those of the end.',
    access: 'READ_ONLY',
    schema: {
      query: Type.Object({ ...pageQuery(LARGEST_PAGE), ...ofPair }),
      data: pageSchema(closedOrderSchema),
    },
    reasons: PAIR_PAGE_REASONS,
    examples: { query: { page: 1, size: 50 }, data: { list: [closedOrderExample], totalCount: 1 } },
    handler: async ({ query, caller }) =>
      closedOrders(context, { ...query, trader: traderOf(context, caller, query) }, query),
  })
