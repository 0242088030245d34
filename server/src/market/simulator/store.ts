import type { PendingQuery, Row } from 'postgres'
import { type Db, numeric, type Tx } from '../../db/pool.ts'
import { columnsOf } from '../broker-store.ts'
import type { BrokerOrder, BrokerOrderRequest, BrokerOrderStatus, Execution, Side } from '../ports.ts'
import type { PathStart } from './price-path.ts'

const BOOK_LOCK = 4_201_941

/** Holds the simulated broker's books for the rest of the transaction, so that they are written in one order. */
export async function lockBook(tx: Tx): Promise<void> {
  await tx`select pg_advisory_xact_lock(${BOOK_LOCK})`
}

/**
 * Where a symbol's path begins under a seed, decided once: at the newest price the venue knows (its last quote, else the
 * last close) and `nowMs`. A recorded close newer than the one it went on from begins it anew. Null for an unlisted symbol.
 */
export async function startPath(tx: Tx, seed: string, symbol: string, nowMs: number): Promise<PathStart | null> {
  const start = new Date(Math.floor(nowMs / 1000) * 1000)
  await tx`
    insert into simulator_paths as p (seed, symbol, price8, start_time, continues_date)
    select ${seed}, symbol, coalesce(q.price8, s.last_close_price8), ${start}, s.last_close_date
    from market_symbols s left join market_quotes q using (symbol)
    where symbol = ${symbol} and s.last_close_price8 is not null
    on conflict (seed, symbol) do update set start_time = excluded.start_time, continues_date = excluded.continues_date,
      price8 = (select last_close_price8 from market_symbols where symbol = ${symbol})
    where excluded.continues_date > coalesce(p.continues_date, '-infinity')`
  const [row] = await tx<{ price8: bigint; start_time: Date }[]>`
    select price8, start_time from simulator_paths where seed = ${seed} and symbol = ${symbol}`
  return row ? { seed, price8: row.price8, timeMs: row.start_time.getTime() } : null
}

/** An order in the simulated broker's books. Instants are the market clock's, Unix ms. */
export interface BookOrder extends BrokerOrder {
  readonly notionalWad: bigint | null
  readonly quantityWad: bigint | null
  readonly limitPrice8: bigint | null
  readonly acceptedMs: number
  readonly expiresAtMs: number | null
  /** When a cancel that was asked for takes effect. */
  readonly cancelMs: number | null
  /** A market order: when it is due to be filled; a limit order: the next instant to match it at. */
  readonly fillTimeMs: number
  readonly fillCount: number
}

interface BookRow {
  readonly client_order_id: string
  readonly broker_order_id: string
  readonly symbol: string
  readonly side: Side
  readonly notional_wad: bigint | null
  readonly quantity_wad: bigint | null
  readonly limit_price8: bigint | null
  readonly status: BrokerOrderStatus
  readonly reject_reason: string | null
  readonly accepted_at: Date
  readonly expires_at: Date | null
  readonly cancel_at: Date | null
  readonly fill_time: Date
  readonly filled_quantity_wad: bigint
  readonly fill_count: number
}

export interface BookEntry {
  readonly brokerOrderId: string
  readonly status: BrokerOrderStatus
  readonly rejectReason: string | null
  readonly acceptedMs: number
  readonly fillTimeMs: number
}

export async function insertBookOrder(tx: Tx, order: BrokerOrderRequest, book: BookEntry): Promise<void> {
  const { notionalWad, quantityWad, limitPrice8 } = columnsOf(order)
  await tx`
    insert into simulated_broker_orders (client_order_id, broker_order_id, symbol, side, notional_wad, quantity_wad,
      limit_price8, status, reject_reason, accepted_at, expires_at, fill_time)
    values (${order.clientOrderId}, ${book.brokerOrderId}, ${order.symbol}, ${order.side}, ${numeric(notionalWad)},
      ${numeric(quantityWad)}, ${numeric(limitPrice8)}, ${book.status}, ${book.rejectReason},
      ${new Date(book.acceptedMs)}, ${timeOrNull(order.expiresAtMs)}, ${new Date(book.fillTimeMs)})`
}

export async function findBookOrders(db: Db, clientOrderIds: readonly string[]): Promise<readonly BookOrder[]> {
  return (await bookRows(db, db`o.client_order_id = any(${[...clientOrderIds]}::text[])`)).map(toBookOrder)
}

/** Open orders, in the order they are due to be filled. */
export async function openBookOrders(db: Db): Promise<readonly BookOrder[]> {
  return (await bookRows(db, isOpenIn(db))).map(toBookOrder)
}

/** Whether there is an open order, and whether there is an execution after a position of the books. */
export async function newsOfBooks(
  db: Db,
  position: bigint,
): Promise<{ readonly hasOpenOrders: boolean; readonly hasExecutions: boolean }> {
  const [row] = await db<{ hasOpenOrders: boolean; hasExecutions: boolean }[]>`
    select exists (select from simulated_broker_orders o where ${isOpenIn(db)}) as "hasOpenOrders",
      exists (select from simulated_broker_executions where position > ${position}) as "hasExecutions"`
  return row ?? { hasOpenOrders: false, hasExecutions: false }
}

const isOpenIn = (db: Db) => db`o.status in ('accepted', 'partially_filled')`

function bookRows(db: Db, condition: PendingQuery<Row[]>): PromiseLike<BookRow[]> {
  return db<BookRow[]>`
    select o.*, (select count(*)::int from simulated_broker_executions e where e.client_order_id = o.client_order_id)
      as fill_count
    from simulated_broker_orders o where ${condition} order by o.fill_time, o.client_order_id`
}

/** Writes down how far an order has come. */
export async function updateBookOrder(
  tx: Tx,
  clientOrderId: string,
  to: {
    readonly status: BrokerOrderStatus
    readonly rejectReason: string | null
    readonly filledQuantityWad: bigint
    readonly fillTimeMs: number
  },
): Promise<void> {
  await tx`
    update simulated_broker_orders set status = ${to.status}, reject_reason = ${to.rejectReason},
      filled_quantity_wad = ${numeric(to.filledQuantityWad)}, fill_time = ${new Date(to.fillTimeMs)}
    where client_order_id = ${clientOrderId}`
}

/** Notes when a cancel takes effect; the first time counts. */
export async function cancelBookOrder(tx: Tx, clientOrderId: string, cancelMs: number): Promise<void> {
  await tx`
    update simulated_broker_orders set cancel_at = coalesce(cancel_at, ${new Date(cancelMs)})
    where client_order_id = ${clientOrderId}`
}

const timeOrNull = (timeMs: number | null): Date | null => (timeMs === null ? null : new Date(timeMs))

/** Writes an execution at the end of the books. The caller holds the book's lock. */
export async function appendExecution(tx: Tx, execution: Execution): Promise<void> {
  await tx`
    insert into simulated_broker_executions
      (position, execution_id, client_order_id, symbol, side, quantity_wad, price8, executed_at)
    select coalesce(max(position), 0) + 1, ${execution.executionId}, ${execution.clientOrderId}, ${execution.symbol},
      ${execution.side}, ${numeric(execution.quantityWad)}, ${numeric(execution.price8)}, ${new Date(execution.timeMs)}
    from simulated_broker_executions`
}

/** Executions after a position of the books, and the last one's position. */
export async function executionsAfter(
  db: Db,
  position: bigint,
  limit: number,
): Promise<{ readonly executions: readonly Execution[]; readonly last: bigint }> {
  const rows = await db<ExecutionRow[]>`
    select * from simulated_broker_executions where position > ${position} order by position limit ${limit}`
  return { executions: rows.map(toExecution), last: rows.at(-1)?.position ?? position }
}

/** What was bought less what was sold of a symbol between two of its splits; shares of that time. */
export interface TradedQuantity {
  readonly symbol: string
  /** Applied splits of the symbol that took effect before. */
  readonly splitsBefore: number
  readonly quantityWad: bigint
}

/** All that was ever executed, summed up. */
export async function tradedQuantities(db: Db): Promise<readonly TradedQuantity[]> {
  return await db<TradedQuantity[]>`
    with executions as (
      select e.symbol, case e.side when 'buy' then e.quantity_wad else -e.quantity_wad end as quantity_wad,
        (select count(*)::int from market_corporate_actions a
         where a.symbol = e.symbol and a.effective_at <= e.executed_at) as splits_before
      from simulated_broker_executions e
    )
    select symbol, splits_before as "splitsBefore", sum(quantity_wad) as "quantityWad"
    from executions group by symbol, splits_before order by symbol, splits_before`
}

interface ExecutionRow {
  readonly position: bigint
  readonly execution_id: string
  readonly client_order_id: string
  readonly symbol: string
  readonly side: Side
  readonly quantity_wad: bigint
  readonly price8: bigint
  readonly executed_at: Date
}

const toExecution = (row: ExecutionRow): Execution => ({
  executionId: row.execution_id,
  clientOrderId: row.client_order_id,
  symbol: row.symbol,
  side: row.side,
  quantityWad: row.quantity_wad,
  price8: row.price8,
  timeMs: row.executed_at.getTime(),
})

const toBookOrder = (row: BookRow): BookOrder => ({
  clientOrderId: row.client_order_id,
  brokerOrderId: row.broker_order_id,
  symbol: row.symbol,
  side: row.side,
  status: row.status,
  filledQuantityWad: row.filled_quantity_wad,
  rejectReason: row.reject_reason,
  notionalWad: row.notional_wad,
  quantityWad: row.quantity_wad,
  limitPrice8: row.limit_price8,
  acceptedMs: row.accepted_at.getTime(),
  expiresAtMs: row.expires_at?.getTime() ?? null,
  cancelMs: row.cancel_at?.getTime() ?? null,
  fillTimeMs: row.fill_time.getTime(),
  fillCount: row.fill_count,
})
