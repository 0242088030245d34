import type { PerpContext } from '../../../context.ts'
import { liquidityEventExample, liquidityEventSchema } from '../../../portfolio/liquidity-view.ts'
import { liquidityEvents } from '../../../portfolio/records.ts'
import { getHistory } from './history-route.ts'

/** GET history/liquidity: liquidity that an account added and removed (perp-api 8). */
export const getPublicLiquidity = (context: PerpContext) =>
  getHistory(context, {
    name: 'liquidity',
    summary: 'Liquidity that a wallet added and removed, newest first',
    item: liquidityEventSchema,
    example: liquidityEventExample,
    read: (asked, page) => liquidityEvents(context, asked, page),
  })
