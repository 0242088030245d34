import Type from 'typebox'
import { defineRoute } from '../../../http/product.ts'
import type { PerpContext } from '../../context.ts'
import { orderExample, orderSchema } from '../../portfolio/order-view.ts'
import { openOrders } from '../../portfolio/records.ts'
import { traderOf } from '../../portfolio/trader.ts'
import { ofPair, PAIR_REASONS, TRADER } from './shared.ts'

/** GET order/realtime: open orders (perp-api 2B, row 10). */
export const getOpenOrders = (context: PerpContext, path = `${TRADER}/order/realtime`) =>
  defineRoute({
    method: 'GET',
    path,
    summary: 'The wallet’s orders that are open, newest first',
    description:
      'How much of each was taken is the contract’s word at the block. An order that was taken whole is `filled` and stays here ' +
      'until somebody fills it: only then is it a position.',
    access: 'READ_ONLY',
    schema: { query: Type.Object(ofPair), data: Type.Array(orderSchema) },
    reasons: PAIR_REASONS,
    examples: { query: { symbol: 'BTC/USDC' }, data: [orderExample] },
    handler: async ({ query, caller }) => openOrders(context, { ...query, trader: traderOf(context, caller, query) }),
  })
