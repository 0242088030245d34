import type { Hex } from '../../chain/types.ts'
import type { Db } from '../../db/pool.ts'

// Orders in the database: at the broker, and on chain as it was indexed.

/** An order that the database has as open at the broker. */
export interface BookedOrder {
  readonly clientOrderId: string
  /** `requested`: the broker has not answered for it yet. */
  readonly status: 'requested' | 'accepted' | 'partially_filled'
}

/** Orders of the broker's account that have not ended, whichever chain they are for. */
export async function bookedOrders(db: Db, broker: string): Promise<BookedOrder[]> {
  return await db<BookedOrder[]>`
    select client_order_id as "clientOrderId", status from broker_orders
    where broker = ${broker} and status in ('requested', 'accepted', 'partially_filled') order by client_order_id`
}

/** Those of the named orders that the database knows, ended or not, at any broker. */
export async function knownOrders(db: Db, clientOrderIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await db<{ id: string }[]>`
    select client_order_id as id from broker_orders where client_order_id = any(${[...clientOrderIds]}::text[])`
  return new Set(rows.map(({ id }) => id))
}

/** The place in the queue of settlements of the newest recorded execution; 0 when there is none. */
export async function newestExecution(db: Db): Promise<bigint> {
  const [row] = await db<{ position: bigint }[]>`
    select coalesce(max(queue_position), 0) as position from execution_settlements`
  return row?.position ?? 0n
}

/** Those of the named executions that were recorded when `newest` was the newest one. */
export async function recordedExecutions(
  db: Db,
  executionIds: readonly string[],
  newest: bigint,
): Promise<ReadonlySet<string>> {
  const rows = await db<{ id: string }[]>`
    select execution_id as id from execution_settlements
    where execution_id = any(${[...executionIds]}::text[]) and queue_position <= ${newest.toString()}::bigint`
  return new Set(rows.map(({ id }) => id))
}

/** An open order of the chain, as it was indexed. */
export interface ChainOrder {
  readonly orderId: Hex
  readonly user: Hex
  readonly token: Hex
  readonly side: 'Buy' | 'Sell'
  readonly filledQuantityWad: bigint
  readonly cancelRequested: boolean
}

const chainOrderColumns = (db: Db) => db`
  order_id as "orderId", user_address as user, token, side, filled_quantity_wad as "filledQuantityWad",
  cancel_requested as "cancelRequested"`

/** Open orders after `after` by their ids, from the beginning again after the last. */
export async function openOrdersAfter(db: Db, chainId: number, after: string, limit: number): Promise<ChainOrder[]> {
  const page = async (from: string) =>
    await db<ChainOrder[]>`
      select ${chainOrderColumns(db)} from stock_orders
      where chain_id = ${chainId} and status = 'open' and order_id > ${from} order by order_id limit ${limit}`
  const next = await page(after)
  return next.length > 0 || after === '' ? next : page('')
}

/** Every open order of the users. */
export async function openOrdersOf(db: Db, chainId: number, users: readonly Hex[]): Promise<ChainOrder[]> {
  return await db<ChainOrder[]>`
    select ${chainOrderColumns(db)} from stock_orders
    where chain_id = ${chainId} and status = 'open' and user_address = any(${[...users]}::text[])`
}

export interface OpenOrderCounts {
  readonly open: bigint
  /** Open orders that the broker has not been given. */
  readonly notTaken: bigint
  /** Open orders that the broker has finished with. */
  readonly toBeClosed: bigint
  /** Open orders whose users have asked for their cancellation. */
  readonly cancelRequested: bigint
}

/** How many orders are open on chain, and what is to be done about them. */
export async function countOpenOrders(db: Db, chainId: number): Promise<OpenOrderCounts> {
  const [row] = await db<OpenOrderCounts[]>`
    select count(*) as open, count(*) filter (where b.client_order_id is null) as "notTaken",
      count(*) filter (where b.status in ('filled', 'canceled', 'expired', 'rejected')) as "toBeClosed",
      count(*) filter (where o.cancel_requested) as "cancelRequested"
    from stock_orders o left join broker_orders b on b.chain_id = o.chain_id and b.client_order_id = o.order_id
    where o.chain_id = ${chainId} and o.status = 'open'`
  if (!row) throw new Error('a count without a group has no row')
  return row
}
