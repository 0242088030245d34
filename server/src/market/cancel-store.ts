import type { Db } from '../db/pool.ts'
import { unsent } from './broker-store.ts'

// Cancels of broker orders: what the venue wants ended, until the broker has ended it.

/** Notes that the venue wants the named orders ended; those that have ended or were named before stay as they are. */
export async function requestCancels(db: Db, chainId: number, clientOrderIds: readonly string[]): Promise<void> {
  await db`
    update broker_orders set cancel_requested_at = now(), next_cancel_at = now(), updated_at = now()
    where chain_id = ${chainId} and client_order_id = any(${[...clientOrderIds]}::text[])
      and cancel_requested_at is null and status in ('requested', 'accepted', 'partially_filled')`
}

/** The same for those that would stand beyond an instant (market clock, Unix ms), but for what was never sent. */
export async function requestCancelsBeyond(
  db: Db,
  chainId: number,
  clientOrderIds: readonly string[],
  atMs: number,
): Promise<void> {
  const beyond = await db<{ id: string }[]>`
    select client_order_id as id from broker_orders
    where chain_id = ${chainId} and client_order_id = any(${[...clientOrderIds]}::text[]) and not ${unsent(db)}
      and coalesce(expires_at, 'infinity') > ${new Date(atMs)}`
  await requestCancels(
    db,
    chainId,
    beyond.map(({ id }) => id),
  )
}

/**
 * Lets the named orders end by an instant (market clock, Unix ms) where the broker has not answered them yet: one that it gets
 * later has expired.
 */
export async function endUnansweredBy(
  db: Db,
  chainId: number,
  clientOrderIds: readonly string[],
  atMs: number,
): Promise<void> {
  await db`
    update broker_orders set expires_at = least(expires_at, ${new Date(atMs)}), updated_at = now()
    where chain_id = ${chainId} and client_order_id = any(${[...clientOrderIds]}::text[]) and status = 'requested'`
}

/** Ends an order that is to be cancelled, was never sent and is not at the broker. Resolves to whether it was such a one. */
export async function cancelUnsent(db: Db, chainId: number, clientOrderId: string): Promise<boolean> {
  const ended = await db`
    update broker_orders set status = 'canceled', updated_at = now()
    where chain_id = ${chainId} and client_order_id = ${clientOrderId} and cancel_requested_at is not null and ${unsent(db)}`
  return ended.count > 0
}

/** An order whose cancel is due. */
export interface DueCancel {
  readonly clientOrderId: string
  /** By what the database says it was never sent, and it never will be. */
  readonly isUnsent: boolean
}

/**
 * Orders whose cancel is due, for the first time or again, oldest first. One that was sent without an answer is not among them:
 * whether the broker has it must be known first.
 */
export async function dueCancels(db: Db, chainId: number, limit: number): Promise<readonly DueCancel[]> {
  return await db<DueCancel[]>`
    select client_order_id as "clientOrderId", status = 'requested' as "isUnsent" from broker_orders
    where chain_id = ${chainId} and cancel_requested_at is not null
      and (status in ('accepted', 'partially_filled') or ${unsent(db)}) and next_cancel_at <= now()
    order by next_cancel_at limit ${limit}`
}

/** Counts a cancel before it is sent and sets when it is sent again if the order is open still: 1, 2, 4 … 60 seconds later. */
export async function countCancel(db: Db, chainId: number, clientOrderId: string): Promise<void> {
  await db`
    update broker_orders set cancel_attempts = cancel_attempts + 1, updated_at = now(),
      next_cancel_at = now() + least(60, 2 ^ least(cancel_attempts, 6)) * interval '1 second'
    where chain_id = ${chainId} and client_order_id = ${clientOrderId}`
}
