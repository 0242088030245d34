import { findBrokerOrders } from '../../market/broker-store.ts'
import type { StockContext } from '../context.ts'
import { found, operationIds } from '../recording/mapping.ts'
import type { MappingRow } from '../recording/mapping-store.ts'
import { findOrders, listFills, type OrderRow } from '../store.ts'
import { fillView, orderView } from './orders.ts'

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
