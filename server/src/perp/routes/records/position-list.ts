import Type from 'typebox'
import { defineRoute } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { positionExample, positionSchema } from '../../portfolio/position-view.ts'
import { positions } from '../../portfolio/records.ts'
import { traderOf } from '../../portfolio/trader.ts'
import { ofPair, PAIR_REASONS, TRADER } from './shared.ts'

/** GET position/list (perp-api 2A.0; 2B, row 9). */
export const getPositions = (context: PerpContext, path = `${TRADER}/position/list`) =>
  defineRoute({
    method: 'GET',
    path,
    summary: 'The wallet’s positions, with what they are worth at the block',
    access: 'READ_ONLY',
    schema: { query: Type.Object(ofPair), data: Type.Array(positionSchema) },
    reasons: PAIR_REASONS,
    examples: { query: { symbol: 'BTC/USDC' }, data: [positionExample] },
    handler: ({ query, caller }) => positions(context, { ...query, trader: traderOf(context, caller, query) }),
  })
