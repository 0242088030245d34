import Type from 'typebox'
import { CREATED_AT, TX_HASH } from '../../http/examples.ts'
import { defineRoute } from '../../http/product.ts'
import { nullable, pagedSchema } from '../../http/schemas.ts'
import { jsonNumber } from '../../lib/decimal.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import type { StockContext } from '../context.ts'
import { ORDER_ID, STOCK_TOKEN } from '../examples.ts'
import { requireTimeRange, TIME_RANGE_EXAMPLE, timeSchema } from '../listing/time-range.ts'
import { ACTIVITY_TYPES, type ActivityRow, listActivities } from '../portfolio/activity-store.ts'
import { userIdExample, userIdSchema, walletOf } from '../portfolio/user-id.ts'
import { stockReasons } from '../reasons.ts'
import { pageOf, pageQuerySchema } from '../schemas.ts'

const query = Type.Object({
  ...pageQuerySchema.properties,
  type: Type.Optional(Type.Enum([...ACTIVITY_TYPES])),
  startTime: Type.Optional(timeSchema('Unix seconds; what happened earlier is left out.')),
  endTime: Type.Optional(timeSchema('Unix seconds; what happened later is left out.')),
})

const activity = Type.Object({
  id: Type.String({ description: 'Tells rows apart: one settlement may fill an order several times alike.' }),
  type: Type.Enum([...ACTIVITY_TYPES]),
  timestamp: Type.Integer({ description: 'Unix seconds of the block.' }),
  txHash: Type.String({
    description: 'For a fill the settlement’s hash, for an operation that of the transaction that asked for it.',
  }),
  operationStatus: Type.Enum(['processing', 'success', 'failed'], {
    description: 'failed: its user has taken back what waited.',
  }),
  orderId: nullable(Type.String({ description: 'The order that was filled, or placed in the same transaction.' })),
  operationId: nullable(Type.String()),
  tokenAddress: Type.String(),
  symbol: Type.String({ description: 'Ticker of a stock, symbol of a cash token.' }),
  side: nullable(Type.Enum(['Buy', 'Sell'])),
  quantity: nullable(Type.Number({ description: 'Stock tokens.' })),
  price: nullable(Type.Number({ description: 'USD per token.' })),
  amount: nullable(
    Type.Number({
      description: 'mUSD: notional of a fill, credit of a deposit, what a withdrawal took; null until known.',
    }),
  ),
  feeAmount: nullable(Type.Number({ description: 'mUSD.' })),
})

/** GET /users/{userId}/activities: fills and moves of cash and stock of an account, as the chain shows them. */
export const getUserActivities = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/users/:userId/activities',
    summary: 'What happened to a user’s account: fills, and moves of cash and stock, newest first',
    access: 'READ_ONLY',
    schema: { params: userIdSchema, query, data: pagedSchema(activity) },
    description: 'Accounts are public on chain: nothing has to be recorded for it.',
    reasons: [stockReasons.time_range_invalid],
    examples: {
      params: userIdExample,
      query: { page: 1, limit: 10, type: 'fill', ...TIME_RANGE_EXAMPLE },
      data: {
        total: 1,
        rows: [
          {
            id: `${TX_HASH}-0`,
            type: 'fill' as const,
            timestamp: CREATED_AT,
            txHash: TX_HASH,
            operationStatus: 'success' as const,
            orderId: ORDER_ID,
            operationId: null,
            tokenAddress: STOCK_TOKEN,
            symbol: 'AAPL',
            side: 'Buy' as const,
            quantity: 5.5,
            price: 180.5,
            amount: 992.75,
            feeAmount: 1.092025,
          },
        ],
      },
    },
    async handler({ params, query }) {
      requireTimeRange(query)
      const { venue, chainId } = context
      const filter = { type: query.type, startSec: query.startTime, endSec: query.endTime }
      const { total, rows } = await listActivities(venue.sql, chainId, walletOf(params.userId), filter, pageOf(query))
      return { total, rows: rows.map(activityView) }
    },
  })

const STATUS = { queued: 'processing', settled: 'success', taken_back: 'failed' } as const
const amountOrNull = (wad: bigint | null) => (wad === null ? null : jsonNumber(wad, WAD_DECIMALS))

const activityView = (row: ActivityRow) => ({
  id: `${row.txHash}-${row.indexInTx}`,
  type: row.type,
  timestamp: Number(row.timeSec),
  txHash: row.txHash,
  operationStatus: STATUS[row.status],
  orderId: row.orderId,
  operationId: row.operationId,
  tokenAddress: row.token,
  symbol: row.symbol,
  side: row.side,
  quantity: amountOrNull(row.quantityWad),
  price: amountOrNull(row.priceWad),
  amount: amountOrNull(row.amountWad),
  feeAmount: amountOrNull(row.feeWad),
})
