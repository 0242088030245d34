import type { Raw, Venue } from '../venue.ts'
import { CALLS } from './calls.ts'
import { order } from './records.ts'

// The stream calls an order that was taken in part `partial_filled` while it rests and after its cancel. Its last transaction tells
// them apart: while it rests, that is the one which placed it (docs/perp-streams.md).

/** A record of the stream's `orders`. */
export interface ToldOrder {
  readonly symbol: string
  readonly raw: Raw
}

/** The largest page of `order/history`. */
const LARGEST_PAGE = 200

/** The transactions that placed orders, by the order's id; of those that have not ended. */
const placings = new WeakMap<object, Map<string, unknown>>()

export async function readOrders(venue: Venue, told: readonly ToldOrder[]): Promise<object[]> {
  const placed = placings.get(venue) ?? new Map<string, unknown>()
  placings.set(venue, placed)
  const records = told.map(({ raw }) => raw)
  for (const raw of records) if (raw.status === 'open') placed.set(String(raw.orderId), raw.lastUpdateTxHash)
  await learn(venue, records.filter(isPartlyTaken), placed)
  const orders = records.map((raw) => order(venue, raw, isAsPlaced(raw, placed)))
  for (const raw of records) if (!isAsPlaced(raw, placed) || raw.status === 'filled') placed.delete(String(raw.orderId))
  return orders
}

const isPartlyTaken = ({ status }: Raw): boolean => status === 'partial_filled'

const isAsPlaced = ({ orderId, lastUpdateTxHash }: Raw, placed: ReadonlyMap<string, unknown>): boolean =>
  placed.get(String(orderId)) === lastUpdateTxHash

/** Asks which transactions placed orders that were never told as untaken. */
async function learn(venue: Venue, records: readonly Raw[], placed: Map<string, unknown>): Promise<void> {
  const isUnknown = ({ orderId }: Raw): boolean => !placed.has(String(orderId))
  if (!records.some(isUnknown)) return
  const open = await venue.ask<Raw[]>(CALLS.openOrders)
  for (const { orderId, lastUpdateTxHash } of open) placed.set(String(orderId), lastUpdateTxHash)
  if (!records.some(isUnknown)) return
  // Asked after the open ones: what has ended in between is here.
  const { list } = await venue.ask<{ list: Raw[] }>(CALLS.endedOrders, { size: LARGEST_PAGE })
  const wanted = new Set(records.filter(isUnknown).map(({ orderId }) => String(orderId)))
  for (const { id, placeTxHash } of list) if (wanted.has(String(id))) placed.set(String(id), placeTxHash)
}
