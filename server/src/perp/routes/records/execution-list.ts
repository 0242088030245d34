import Type from 'typebox'
import { defineRoute } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { executionExample, executionSchema } from '../../portfolio/execution-view.ts'
import { pageQuery, pageSchema } from '../../portfolio/page.ts'
import { executions } from '../../portfolio/records.ts'
import { traderOf } from '../../portfolio/trader.ts'
import { ofPair, PAIR_PAGE_REASONS, TRADER } from './shared.ts'

const LARGEST_PAGE = 200

/** GET execution/list (perp-api 2B, row 13). */
export const getExecutions = (context: PerpContext, path = `${TRADER}/execution/list`) =>
  defineRoute({
    method: 'GET',
    path,
    summary: 'What changed the wallet’s sizes, newest first',
    description:
      '`market` is a trade, `fill` an order of which something was taken, when it is filled or cancelled, `range` what a removed range ' +
      'leaves, `liquidation` what was closed or taken over by force, `take_over` what the wallet took over, `settlement` what it held in a ' +
      'pair that has ended, closed at the settlement price. The sizes in a pair, bought less sold, add up to the position.',
    access: 'READ_ONLY',
    schema: {
      query: Type.Object({ ...pageQuery(LARGEST_PAGE), ...ofPair }),
      data: pageSchema(executionSchema),
    },
    reasons: PAIR_PAGE_REASONS,
    examples: { query: { page: 1, size: 50 }, data: { list: [executionExample], totalCount: 1 } },
    handler: async ({ query, caller }) =>
      executions(context, { ...query, trader: traderOf(context, caller, query) }, query),
  })
