import type { PerpContext } from '../../../context.ts'
import { executionExample, executionSchema } from '../../../portfolio/execution-view.ts'
import { executions } from '../../../portfolio/records.ts'
import { getHistory } from './history-route.ts'

/** GET history/trade: what changed an account’s sizes (perp-api 8). */
export const getPublicTrades = (context: PerpContext) =>
  getHistory(context, {
    name: 'trade',
    summary: 'What changed a wallet’s sizes, newest first',
    item: executionSchema,
    example: executionExample,
    read: (asked, page) => executions(context, asked, page),
  })
