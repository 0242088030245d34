import Type from 'typebox'
import type { Hex } from '../../chain/types.ts'
import { defineRoute } from '../../http/product.ts'
import { pagedSchema } from '../../http/schemas.ts'
import { AppError } from '../../lib/errors.ts'
import type { StockContext } from '../context.ts'
import { findSymbol } from '../listing/catalogue.ts'
import { requireTimeRange, TIME_RANGE_EXAMPLE, timeSchema } from '../listing/time-range.ts'
import { listFilteredOrders, type OrderFilter } from '../orders/order-filter-store.ts'
import { viewOrders } from '../orders/order-lookup.ts'
import { ORDER_STATUSES, type OrderStatus, orderExample, orderViewSchema } from '../orders/orders.ts'
import { stockReasons } from '../reasons.ts'
import { mappingScope } from '../recording/claim-types.ts'
import { listMappings } from '../recording/mapping-store.ts'
import { clientOrderProperties, pageOf, pageQuerySchema } from '../schemas.ts'

export const symbolFilter = Type.Optional(
  Type.String({ minLength: 1, maxLength: 64, description: 'Ticker, token symbol or address.' }),
)

const filterProperties = {
  status: Type.Optional(Type.Enum([...ORDER_STATUSES], { description: 'orderStatus, exactly.' })),
  symbol: symbolFilter,
  side: Type.Optional(Type.Enum(['Buy', 'Sell'])),
  startTime: Type.Optional(timeSchema('Unix seconds; orders that were recorded earlier are left out.')),
  endTime: Type.Optional(timeSchema('Unix seconds; orders that were recorded later are left out.')),
}

/** GET /orders: the calling key's orders, newest first, or the one with a `clientOrderId` (stock-api 1.4, 2.3). */
export const getOrders = (context: StockContext) =>
  defineRoute({
    method: 'GET',
    path: '/api/v1/orders',
    summary: 'Orders that the calling key has recorded, newest first',
    access: 'READ_ONLY',
    schema: {
      query: Type.Object({ ...pageQuerySchema.properties, ...clientOrderProperties, ...filterProperties }),
      data: pagedSchema(orderViewSchema),
    },
    description:
      'Filters narrow the list and may be combined; clientOrderId names one order and takes no other. A long list is found fastest by a range of time.',
    reasons: [stockReasons.symbol_unknown, stockReasons.time_range_invalid, stockReasons.field_not_applicable],
    examples: {
      query: {
        page: 1,
        limit: 10,
        clientOrderId: 'my-order-1',
        status: 'Filled',
        symbol: 'AAPL',
        side: 'Buy',
        ...TIME_RANGE_EXAMPLE,
      },
      data: { total: 1, rows: [orderExample(context)] },
    },
    async handler({ query, caller }) {
      const scope = mappingScope(context, caller, 'trade')
      const filter = await filterOf(context, query)
      const { sql } = context.venue
      const { total, rows } = filter
        ? await listFilteredOrders(sql, scope, filter, pageOf(query))
        : await listMappings(sql, scope, pageOf(query), query.clientOrderId)
      return { total, rows: await viewOrders(context, rows) }
    },
  })

interface OrderQuery {
  readonly clientOrderId?: string
  readonly status?: OrderStatus
  readonly symbol?: string
  readonly side?: 'Buy' | 'Sell'
  readonly startTime?: number
  readonly endTime?: number
}

/** What the query filters by; null when it does not. Throws `symbol_unknown`, `time_range_invalid`, `field_not_applicable`. */
async function filterOf(context: StockContext, query: OrderQuery): Promise<OrderFilter | null> {
  const { clientOrderId, status, symbol, side, startTime: startSec, endTime: endSec } = query
  if ([status, symbol, side, startSec, endSec].every((one) => one === undefined)) return null
  if (clientOrderId !== undefined) {
    const message = 'clientOrderId names one order and takes no filter'
    throw new AppError(stockReasons.field_not_applicable, message, { detail: { field: 'clientOrderId' } })
  }
  requireTimeRange(query)
  return { status, side, startSec, endSec, token: await tokenOf(context, symbol) }
}

/** The token of a symbol; one that no chain token stands for has no orders. */
export async function tokenOf(context: StockContext, symbol: string | undefined): Promise<Hex | undefined> {
  if (symbol === undefined) return undefined
  return findSymbol(await context.catalogue(), symbol).stock?.token.token ?? '0x'
}
