import { type Db, numeric, type Tx } from '../db/pool.ts'
import type { BrokerOrder, BrokerOrderRequest, BrokerOrderStatus, Execution, OrderTerms, Side } from './ports.ts'

/** `requested`: stored here, and the broker has not answered yet. */
export type OrderStatus = 'requested' | BrokerOrderStatus

/** The venue's own record of an order it gives to a broker. Quantities are shares, cash USD, both with 18 decimals. */
export interface OrderRecord {
  readonly chainId: number
  readonly clientOrderId: string
  readonly symbol: string
  readonly terms: OrderTerms
  /** When the broker ends it, market clock, Unix ms; null: it stands until it is filled. */
  readonly expiresAtMs: number | null
  /** True once the venue wants it cancelled. */
  readonly cancelRequested: boolean
  readonly status: OrderStatus
  readonly brokerOrderId: string | null
  readonly rejectReason: string | null
  readonly filledQuantityWad: bigint
  readonly filledCashWad: bigint
  readonly submitAttempts: number
  readonly lastSubmitError: string | null
}

/** The venue's open position against its users' orders: executed, not yet settled. Signed. */
export interface HedgePosition {
  readonly symbol: string
  readonly quantityWad: bigint
  readonly cashWad: bigint
}

interface OrderRow {
  readonly chain_id: bigint
  readonly client_order_id: string
  readonly symbol: string
  readonly type: 'market' | 'limit'
  readonly side: Side
  readonly notional_wad: bigint | null
  readonly quantity_wad: bigint | null
  readonly limit_price8: bigint | null
  readonly expires_at: Date | null
  readonly cancel_requested_at: Date | null
  readonly status: OrderStatus
  readonly broker_order_id: string | null
  readonly reject_reason: string | null
  readonly filled_quantity_wad: bigint
  readonly filled_cash_wad: bigint
  readonly submit_attempts: number
  readonly last_submit_error: string | null
}

/** The named orders, as recorded; an unknown id is left out. */
export async function findBrokerOrders(
  db: Db,
  chainId: number,
  clientOrderIds: readonly string[],
): Promise<readonly OrderRecord[]> {
  const rows = await db<OrderRow[]>`
    select * from broker_orders where chain_id = ${chainId} and client_order_id = any(${[...clientOrderIds]}::text[])`
  return rows.map(toRecord)
}

/** Stores orders; those that are stored already stay as they are. */
export async function insertOrders(
  db: Db,
  chainId: number,
  broker: string,
  orders: readonly BrokerOrderRequest[],
): Promise<void> {
  if (orders.length === 0) return
  const rows = orders.map((order) => {
    const { notionalWad, quantityWad, limitPrice8 } = columnsOf(order)
    return {
      chain_id: chainId,
      client_order_id: order.clientOrderId,
      broker,
      symbol: order.symbol,
      type: order.type,
      side: order.side,
      notional_wad: numeric(notionalWad),
      quantity_wad: numeric(quantityWad),
      limit_price8: numeric(limitPrice8),
      expires_at: order.expiresAtMs === null ? null : new Date(order.expiresAtMs),
    }
  })
  await db`insert into broker_orders ${db(rows)} on conflict do nothing`
}

/** Terms as the columns of a table have them. */
export const columnsOf = (terms: OrderTerms) => ({
  notionalWad: 'notionalWad' in terms ? terms.notionalWad : null,
  quantityWad: 'quantityWad' in terms ? terms.quantityWad : null,
  limitPrice8: 'limitPrice8' in terms ? terms.limitPrice8 : null,
})

/** Orders that are to be cancelled before they were ever sent: they never are. */
const cancelledUnsent = (db: Db) => db`(cancel_requested_at is not null and submit_attempts = 0)`

/** Client order ids that wait for an answer of the broker and are due to be sent (again). */
export async function requestedOrders(db: Db, chainId: number, limit: number): Promise<readonly string[]> {
  const rows = await db<{ client_order_id: string }[]>`
    select client_order_id from broker_orders
    where chain_id = ${chainId} and status = 'requested' and next_submit_at <= now() and not ${cancelledUnsent(db)}
    order by next_submit_at limit ${limit}`
  return rows.map((row) => row.client_order_id)
}

/**
 * Counts a submission of each order before it is made and sets when the next is due if it has no answer: 1, 2, 4 … 60 seconds
 * later. Resolves to those that there is something to submit of.
 */
export async function countSubmissions(
  db: Db,
  chainId: number,
  clientOrderIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db<{ client_order_id: string }[]>`
    with locked as (
      select chain_id, client_order_id from broker_orders
      where chain_id = ${chainId} and client_order_id = any(${[...clientOrderIds]}::text[]) and status = 'requested'
        and not ${cancelledUnsent(db)}
      order by client_order_id for update
    )
    update broker_orders o set submit_attempts = submit_attempts + 1, updated_at = now(),
      next_submit_at = now() + least(60, 2 ^ least(submit_attempts, 6)) * interval '1 second'
    from locked where o.chain_id = locked.chain_id and o.client_order_id = locked.client_order_id
    returning o.client_order_id`
  return new Set(rows.map((row) => row.client_order_id))
}

/**
 * Takes back a submission that was counted and is not made, of an order that is to be cancelled and was never sent before. Resolves to
 * whether it was such a one.
 */
export async function takeBackSubmission(db: Db, chainId: number, clientOrderId: string): Promise<boolean> {
  const taken = await db`
    update broker_orders set submit_attempts = 0, updated_at = now()
    where chain_id = ${chainId} and client_order_id = ${clientOrderId} and status = 'requested' and submit_attempts = 1
      and cancel_requested_at is not null`
  return taken.count > 0
}

export async function recordSubmitError(db: Db, chainId: number, clientOrderId: string, error: string): Promise<void> {
  await db`
    update broker_orders set last_submit_error = ${error}, updated_at = now()
    where chain_id = ${chainId} and client_order_id = ${clientOrderId} and status = 'requested'`
}

/** What was never sent; of anything else the broker says how it ends. */
export const unsent = (db: Db) => db`(status = 'requested' and submit_attempts = 0)`

/** Rejects an order that was never sent to the broker, which it never is then. */
export async function rejectOrder(db: Db, chainId: number, clientOrderId: string, reason: string): Promise<void> {
  await db`
    update broker_orders set status = 'rejected', reject_reason = ${reason}, updated_at = now()
    where chain_id = ${chainId} and client_order_id = ${clientOrderId} and ${unsent(db)}`
}

/** Ends an order whose time has passed before it was sent to the broker: it never is. */
export async function expireOrder(db: Db, chainId: number, clientOrderId: string): Promise<void> {
  await db`
    update broker_orders set status = 'expired', updated_at = now()
    where chain_id = ${chainId} and client_order_id = ${clientOrderId} and ${unsent(db)}`
}

/**
 * Takes over what the broker says of orders; what is known already writes nothing. A final status is taken only once every fill
 * the broker counts is recorded here, so that whoever sees an order finished has all of its executions.
 */
export async function applyBrokerAnswers(db: Db, chainId: number, answers: readonly BrokerOrder[]): Promise<void> {
  const column = (read: (answer: BrokerOrder) => string | null) => answers.map(read)
  await db`
    with answers as (
      select * from unnest(
        ${column((one) => one.clientOrderId)}::text[], ${column((one) => one.symbol)}::text[],
        ${column((one) => one.side)}::text[], ${column((one) => one.brokerOrderId)}::text[],
        ${column((one) => one.rejectReason)}::text[], ${column((one) => one.status)}::text[],
        ${column((one) => one.filledQuantityWad.toString())}::text[]::numeric[]
      ) as a (client_order_id, symbol, side, broker_order_id, reject_reason, status, filled)
    ), locked as (
      select o.client_order_id, a.broker_order_id, a.reject_reason,
        case when a.status in ('accepted', 'partially_filled') or o.filled_quantity_wad = a.filled then a.status
          when o.filled_quantity_wad = 0 then 'accepted' else 'partially_filled' end as status
      from broker_orders o join answers a using (client_order_id, symbol, side)
      where o.chain_id = ${chainId} and o.status in ('requested', 'accepted', 'partially_filled')
      order by o.client_order_id for update of o
    )
    update broker_orders o set broker_order_id = l.broker_order_id, reject_reason = l.reject_reason, status = l.status,
      last_submit_error = null, answered_at = coalesce(o.answered_at, now()), updated_at = now()
    from locked l
    where o.chain_id = ${chainId} and o.client_order_id = l.client_order_id
      and (o.status, o.broker_order_id, o.reject_reason, o.last_submit_error)
        is distinct from (l.status, l.broker_order_id, l.reject_reason, null)`
}

/** Open orders the broker has answered for, oldest first. */
export async function openBrokerOrders(db: Db, chainId: number): Promise<readonly string[]> {
  const rows = await db<{ client_order_id: string }[]>`
    select client_order_id from broker_orders
    where chain_id = ${chainId} and status in ('accepted', 'partially_filled') order by requested_at`
  return rows.map((row) => row.client_order_id)
}

export async function readExecutionsCursor(db: Db, chainId: number, broker: string): Promise<string | null> {
  const [row] = await db<{ executions_cursor: string | null }[]>`
    select executions_cursor from broker_cursors where chain_id = ${chainId} and broker = ${broker}`
  return row?.executions_cursor ?? null
}

/** Moves on to `cursor`. One that lags behind another collector's is harmless: what was recorded is recognised. */
export async function writeExecutionsCursor(
  tx: Tx,
  chainId: number,
  broker: string,
  cursor: string | null,
): Promise<void> {
  await tx`
    insert into broker_cursors (chain_id, broker, executions_cursor) values (${chainId}, ${broker}, ${cursor})
    on conflict (chain_id, broker) do update set executions_cursor = excluded.executions_cursor`
}

/**
 * Records executions of the venue's orders: each once, with its place in its order, its ledger entry and its place in the
 * queue of settlements. Those already recorded, and those of other orders, change nothing. Resolves to the new ones' ids.
 */
export async function insertExecutions(
  tx: Tx,
  chainId: number,
  executions: readonly Execution[],
): Promise<readonly string[]> {
  const column = (read: (execution: Execution) => bigint | string) => executions.map((one) => read(one).toString())
  const orderIds = column((execution) => execution.clientOrderId)
  await tx`
    select 1 from broker_orders where chain_id = ${chainId} and client_order_id = any(${orderIds}::text[])
    order by client_order_id for update`
  const rows = await tx<{ execution_id: string }[]>`
    with input as (
      select * from unnest(
        ${column((execution) => execution.executionId)}::text[], ${orderIds}::text[],
        ${column((execution) => execution.symbol)}::text[], ${column((execution) => execution.side)}::text[],
        ${column((execution) => execution.quantityWad)}::text[]::numeric[],
        ${column((execution) => execution.price8)}::text[]::numeric[],
        ${column((execution) => new Date(execution.timeMs).toISOString())}::text[]::timestamptz[]
      ) with ordinality as i (execution_id, client_order_id, symbol, side, quantity, price8, executed_at, place)
    ), claimed as (
      insert into execution_settlements (chain_id, execution_id, executed_at)
      select o.chain_id, i.execution_id, i.executed_at
      from input i join broker_orders o using (client_order_id, symbol, side)
      where o.chain_id = ${chainId} order by i.place
      on conflict do nothing returning execution_id
    ), fresh as (
      select i.*, div(i.quantity * i.price8, 100000000) as cash, o.filled_quantity_wad
        + sum(i.quantity) over (partition by i.client_order_id order by i.place) - i.quantity as filled_before
      from claimed join input i using (execution_id) join broker_orders o using (client_order_id)
      where o.chain_id = ${chainId}
    ), stored as (
      insert into broker_executions (chain_id, execution_id, client_order_id, symbol, side, quantity_wad, price8, cash_wad,
        filled_before_wad, executed_at)
      select ${chainId}, execution_id, client_order_id, symbol, side, quantity, price8, cash, filled_before, executed_at
      from fresh
    ), booked as (
      insert into hedge_ledger (chain_id, kind, symbol, quantity_wad, cash_wad, execution_id)
      select ${chainId}, 'execution', symbol, case side when 'buy' then quantity else -quantity end,
        case side when 'buy' then -cash else cash end, execution_id from fresh order by place
    ), filled as (
      update broker_orders o set filled_quantity_wad = o.filled_quantity_wad + f.quantity,
        filled_cash_wad = o.filled_cash_wad + f.cash, updated_at = now()
      from (select client_order_id, sum(quantity) as quantity, sum(cash) as cash from fresh group by client_order_id) f
      where o.chain_id = ${chainId} and o.client_order_id = f.client_order_id
    )
    select execution_id from fresh order by place`
  return rows.map((row) => row.execution_id)
}

/** Gives open executions to an intent and takes them off the hedge. Resolves to how many were open. */
export async function closeExecutions(
  tx: Tx,
  chainId: number,
  executionIds: readonly string[],
  intentId: bigint,
): Promise<number> {
  const closed = await tx`
    with closed as (
      update execution_settlements set intent_id = ${intentId}
      where chain_id = ${chainId} and execution_id = any(${[...executionIds]}::text[]) and intent_id is null
      returning chain_id, execution_id, executed_at
    )
    insert into hedge_ledger (chain_id, kind, symbol, quantity_wad, cash_wad, execution_id, intent_id)
    select chain_id, 'settlement', symbol, case side when 'buy' then -quantity_wad else quantity_wad end,
      case side when 'buy' then cash_wad else -cash_wad end, execution_id, ${intentId}::bigint
    from closed join broker_executions using (chain_id, execution_id, executed_at)`
  return closed.count
}

/** Takes executions back from the intents they were given to. Resolves to how many were given to one. */
export async function openExecutions(tx: Tx, chainId: number, executionIds: readonly string[]): Promise<number> {
  const reopened = await tx`
    with given as (
      select chain_id, execution_id, executed_at, intent_id from execution_settlements
      where chain_id = ${chainId} and execution_id = any(${[...executionIds]}::text[]) and intent_id is not null
      order by execution_id for update
    ), reopened as (
      update execution_settlements s set intent_id = null from given g
      where s.chain_id = g.chain_id and s.execution_id = g.execution_id
    )
    insert into hedge_ledger (chain_id, kind, symbol, quantity_wad, cash_wad, execution_id, intent_id)
    select chain_id, 'settlement_reopened', symbol, case side when 'buy' then quantity_wad else -quantity_wad end,
      case side when 'buy' then -cash_wad else cash_wad end, execution_id, intent_id
    from given join broker_executions using (chain_id, execution_id, executed_at)`
  return reopened.count
}

/** The open hedge of each symbol: what was executed for users and no settlement has taken yet. */
export async function hedgePositions(db: Db, chainId: number): Promise<readonly HedgePosition[]> {
  const rows = await db<{ symbol: string; quantity: bigint; cash: bigint }[]>`
    select symbol, sum(quantity_wad) as quantity, sum(cash_wad) as cash from hedge_ledger
    where chain_id = ${chainId} group by symbol having sum(quantity_wad) <> 0 or sum(cash_wad) <> 0 order by symbol`
  return rows.map((row) => ({ symbol: row.symbol, quantityWad: row.quantity, cashWad: row.cash }))
}

function toRecord(row: OrderRow): OrderRecord {
  return {
    chainId: Number(row.chain_id),
    clientOrderId: row.client_order_id,
    symbol: row.symbol,
    terms: toTerms(row),
    expiresAtMs: row.expires_at?.getTime() ?? null,
    cancelRequested: row.cancel_requested_at !== null,
    status: row.status,
    brokerOrderId: row.broker_order_id,
    rejectReason: row.reject_reason,
    filledQuantityWad: row.filled_quantity_wad,
    filledCashWad: row.filled_cash_wad,
    submitAttempts: row.submit_attempts,
    lastSubmitError: row.last_submit_error,
  }
}

/** The table's check holds that the terms are whole. */
function toTerms({ type, side, notional_wad, quantity_wad, limit_price8 }: OrderRow): OrderTerms {
  const quantityWad = quantity_wad as bigint
  if (type === 'limit') return { type, side, quantityWad, limitPrice8: limit_price8 as bigint }
  return side === 'buy' ? { type, side, notionalWad: notional_wad as bigint } : { type, side, quantityWad }
}
