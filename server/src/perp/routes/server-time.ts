import Type from 'typebox'
import { defineRoute } from '../../http/product.ts'
import type { PerpContext } from '../context.ts'

/** GET market/serverTime (perp-api 2B, row 1). */
export const getServerTime = ({ venue }: PerpContext) =>
  defineRoute({
    method: 'GET',
    path: '/v4/public/trader/market/serverTime',
    summary: 'The venue’s wall clock, Unix milliseconds',
    access: 'OPEN',
    schema: { data: Type.Integer({ description: 'Unix milliseconds.' }) },
    examples: { data: 1_764_000_000_000 },
    handler: async () => venue.clock.nowMs(),
  })
