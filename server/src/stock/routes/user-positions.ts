import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import type { StockContext } from '../context.ts'
import { listPositions } from '../portfolio/position-store.ts'
import { positionExample, positionSchema, positionView } from '../portfolio/positions.ts'
import { userIdExample, userIdSchema, walletOf } from '../portfolio/user-id.ts'
import { stockReasons } from '../reasons.ts'

/** GET /users/{userId}/positions: what a user holds at the exchange, indexed from the Stock contract (stock-api 2.2). */
export const getUserPositions = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/users/:userId/positions',
    summary: 'Stock positions of a user at the exchange, by symbol; may be an empty list',
    access: 'READ_ONLY',
    schema: { params: userIdSchema, data: Type.Array(positionSchema) },
    reasons: [stockReasons.not_indexed_yet],
    examples: { params: userIdExample, data: [positionExample] },
    async handler({ params }) {
      const { stocks } = await context.catalogue()
      const positions = await listPositions(context.venue.sql, context.chainId, walletOf(params.userId))
      return positions.map((position) => positionView(position, stocks.get(position.token)?.market.quote ?? null))
    },
  })
