import Type from 'typebox'
import { defineRoute } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { liquidityEventExample, liquidityEventSchema } from '../../portfolio/liquidity-view.ts'
import { pageQuery, pageSchema } from '../../portfolio/page.ts'
import { liquidityEvents } from '../../portfolio/records.ts'
import { traderOf } from '../../portfolio/trader.ts'
import { ofPair, PAIR_PAGE_REASONS, TRADER } from './shared.ts'

const LARGEST_PAGE = 200

/** GET liquidity/history (perp-api 2B, row 15). */
export const getLiquidityHistory = (context: PerpContext, path = `${TRADER}/liquidity/history`) =>
  defineRoute({
    method: 'GET',
    path,
    summary: 'Liquidity that the wallet added and removed, newest first',
    access: 'READ_ONLY',
    schema: {
      query: Type.Object({ ...pageQuery(LARGEST_PAGE), ...ofPair }),
      data: pageSchema(liquidityEventSchema),
    },
    reasons: PAIR_PAGE_REASONS,
    examples: { query: { page: 1, size: 50 }, data: { list: [liquidityEventExample], totalCount: 1 } },
    handler: async ({ query, caller }) =>
      liquidityEvents(context, { ...query, trader: traderOf(context, caller, query) }, query),
  })
