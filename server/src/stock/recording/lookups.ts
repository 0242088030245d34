import type { Hex } from '../../chain/types.ts'
import type { Sql } from '../../db/pool.ts'
import type { Caller } from '../../http/product.ts'
import { findBrokerOrders } from '../../market/broker-store.ts'
import type { StockContext } from '../context.ts'
import { fillView, orderView } from '../orders/orders.ts'
import { cashOperationView } from '../portfolio/cash.ts'
import { findStockOperations } from '../portfolio/stock-operation-store.ts'
import { stockOperationView } from '../portfolio/stock-operations.ts'
import {
  findCashOperations,
  findOrders,
  listFills,
  type MappingRow,
  type MappingScope,
  type OperationType,
  type OrderRow,
} from '../store.ts'

/** The caller's mappings of one kind. */
export function mappingScope({ chainId }: StockContext, caller: Caller, operationType: OperationType): MappingScope {
  return { chainId, apiKeyId: caller.keyId, operationType }
}

/** One view for each mapping, in order, with the order it leads to when that is indexed. */
export async function viewOrders(context: StockContext, mappings: readonly MappingRow[]) {
  const { sql } = context.venue
  const orders = await findOrders(sql, context.chainId, operationIds(mappings))
  const byId = new Map(orders.map((order) => [order.orderId, order]))
  const viewContext = await orderViewContext(context, orders)
  return mappings.map((mapping) => orderView(found(byId, mapping), mapping, viewContext))
}

/** One order alone, with its fills. It may be another key's, then it has no mapping; or not indexed yet. */
export async function viewOrder(context: StockContext, order: OrderRow | null, mapping: MappingRow | null) {
  const { sql } = context.venue
  const view = orderView(order, mapping, await orderViewContext(context, order ? [order] : []))
  const fills = order && order.filledQuantityWad > 0n ? await listFills(sql, context.chainId, order.orderId) : []
  return { ...view, fills: fills.map(fillView) }
}

/** One view for each mapping, in order, with the cash operation it leads to when that is indexed. */
export const viewCashOperations = (context: StockContext, mappings: readonly MappingRow[]) =>
  viewOperations(context, mappings, findCashOperations, cashOperationView)

/** One view for each mapping, in order, with the stock operation it leads to when that is indexed. */
export const viewStockOperations = (context: StockContext, mappings: readonly MappingRow[]) =>
  viewOperations(context, mappings, findStockOperations, stockOperationView)

async function viewOperations<Row extends { readonly operationId: Hex }, View>(
  { venue, chainId, productType }: StockContext,
  mappings: readonly MappingRow[],
  find: (sql: Sql, chainId: number, ids: readonly Hex[]) => Promise<readonly Row[]>,
  view: (operation: Row | null, mapping: MappingRow, productType: string) => View,
): Promise<View[]> {
  const operations = await find(venue.sql, chainId, operationIds(mappings))
  const byId = new Map(operations.map((operation) => [operation.operationId, operation]))
  return mappings.map((mapping) => view(found(byId, mapping), mapping, productType))
}

const operationIds = (mappings: readonly MappingRow[]): Hex[] =>
  mappings.flatMap(({ operationId }) => (operationId === null ? [] : [operationId]))

function found<T>(byId: ReadonlyMap<Hex, T>, { operationId }: MappingRow): T | null {
  return (operationId && byId.get(operationId)) ?? null
}

async function orderViewContext({ venue, chainId, productType }: StockContext, orders: readonly OrderRow[]) {
  const rejected = orders
    .filter(({ status }) => status === 'rejected' || status === 'partially_filled')
    .map(({ orderId }) => orderId)
  const records = rejected.length === 0 ? [] : await findBrokerOrders(venue.sql, chainId, rejected)
  const rejectReasons = new Map(
    records.flatMap(({ clientOrderId, rejectReason }) =>
      rejectReason ? [[clientOrderId, rejectReason] as const] : [],
    ),
  )
  return { productType, rejectReasons }
}
