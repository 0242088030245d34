import Type from 'typebox'
import { defineRoute } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { rangeExample, rangeSchema } from '../../portfolio/liquidity-view.ts'
import { ranges } from '../../portfolio/records.ts'
import { traderOf } from '../../portfolio/trader.ts'
import { ofPair, PAIR_REASONS, TRADER } from './shared.ts'

/** GET liquidity/list (perp-api 2B, row 14). */
export const getRanges = (context: PerpContext, path = `${TRADER}/liquidity/list`) =>
  defineRoute({
    method: 'GET',
    path,
    summary: 'The wallet’s ranges of liquidity',
    access: 'READ_ONLY',
    schema: { query: Type.Object(ofPair), data: Type.Array(rangeSchema) },
    reasons: PAIR_REASONS,
    examples: { query: { symbol: 'BTC/USDC' }, data: [rangeExample] },
    handler: async ({ query, caller }) => ranges(context, { ...query, trader: traderOf(context, caller, query) }),
  })
