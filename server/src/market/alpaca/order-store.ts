import { type Db, inTransaction, numeric, type Sql, type Tx } from '../../db/pool.ts'
import type { BrokerOrder, BrokerOrderRequest, BrokerOrderStatus, Execution, Side } from '../ports.ts'
import { termsOf, type WireOrder } from './order-wire.ts'

const JOURNAL_LOCK = 4_201_942

/** The venue's copy of an order at the broker. */
export interface CopiedOrder {
  readonly clientOrderId: string
  readonly terms: string
  readonly symbol: string
  readonly side: Side
  readonly expiresAtMs: number | null
  readonly unansweredAtMs: number | null
  /** Null until the broker has answered for it. */
  readonly status: BrokerOrderStatus | null
  readonly brokerOrderId: string | null
  readonly rejectReason: string | null
  readonly filledQuantityWad: bigint
  readonly submittedMs: number | null
  /** It was given up here before it appeared at the broker. */
  readonly endedUnsent: boolean
}

interface OrderRow {
  readonly client_order_id: string
  readonly terms: string
  readonly symbol: string
  readonly side: Side
  readonly expires_at: Date | null
  readonly unanswered_at: Date | null
  readonly status: BrokerOrderStatus | null
  readonly broker_order_id: string | null
  readonly reject_reason: string | null
  readonly filled_quantity_wad: bigint
  readonly submitted_at: Date | null
  readonly ended_unsent: boolean
}

const OPEN = ['accepted', 'partially_filled']
/** An order that was cancelled so close to its expiry, and not on the venue's word, has expired. */
const EXPIRY_MARGIN = '10 seconds'

/** The copy of an order, made when there is none. An order that comes with an earlier end than before has that one from then on. */
export async function copyOf(db: Db, order: BrokerOrderRequest): Promise<CopiedOrder> {
  await ensureCopy(db, { ...order, terms: termsOf(order) })
  if (order.expiresAtMs !== null) {
    const endsAt = new Date(order.expiresAtMs)
    await db`
      update alpaca_orders set expires_at = ${endsAt}
      where client_order_id = ${order.clientOrderId} and coalesce(expires_at, 'infinity') > ${endsAt}`
  }
  const [copy] = await findCopies(db, [order.clientOrderId])
  if (!copy) throw new Error(`no copy of order ${order.clientOrderId}`)
  return copy
}

type Ordered = Pick<CopiedOrder, 'clientOrderId' | 'terms' | 'symbol' | 'side'> & {
  readonly expiresAtMs?: number | null
}

async function ensureCopy(db: Db, { clientOrderId, terms, symbol, side, expiresAtMs = null }: Ordered): Promise<void> {
  await db`
    insert into alpaca_orders (client_order_id, terms, symbol, side, expires_at)
    values (${clientOrderId}, ${terms}, ${symbol}, ${side}, ${expiresAtMs === null ? null : new Date(expiresAtMs)})
    on conflict do nothing`
}

export async function findCopies(db: Db, clientOrderIds: readonly string[]): Promise<readonly CopiedOrder[]> {
  const ids = [...clientOrderIds]
  const rows = await db<OrderRow[]>`select * from alpaca_orders where client_order_id = any(${ids}::text[])`
  return rows.map(toCopy)
}

/** Orders whose end is not known. */
export async function openCopies(db: Db): Promise<readonly CopiedOrder[]> {
  return (await db<OrderRow[]>`select * from alpaca_orders where status = any(${OPEN}) order by submitted_at`).map(
    toCopy,
  )
}

/** Notes, before it is sent, that an order may stand at the broker from now on; null when an attempt was refused. */
export async function markUnanswered(db: Db, clientOrderId: string, sentMs: number | null): Promise<void> {
  await db`
    update alpaca_orders set unanswered_at = ${sentMs === null ? null : new Date(sentMs)}
    where client_order_id = ${clientOrderId}`
}

/** Ends an order that does not stand at the broker; `rejectReason` is the broker's own word. */
export async function endUnsent(
  db: Db,
  clientOrderId: string,
  status: 'expired' | 'rejected',
  rejectReason: string | null,
): Promise<void> {
  await db`
    update alpaca_orders set status = ${status}, reject_reason = ${rejectReason}, ended_unsent = true
    where client_order_id = ${clientOrderId} and status is null`
}

export async function markCancelAsked(db: Db, clientOrderId: string): Promise<void> {
  await db`update alpaca_orders set cancel_asked = true where client_order_id = ${clientOrderId}`
}

/**
 * Takes over what the broker says of an order that has its copy; of others nothing is kept. What it said may come late, twice and out of
 * order: an end is never taken back, and what was filled never shrinks.
 */
export async function takeOrder(db: Db, order: WireOrder): Promise<void> {
  await db`
    update alpaca_orders o set
      broker_order_id = ${order.brokerOrderId}, submitted_at = ${new Date(order.submittedMs)}, unanswered_at = null,
      status = case
        when said.status = 'canceled' and not o.cancel_asked and not o.ended_unsent
          and ${order.canceledMs === null ? null : new Date(order.canceledMs)}::timestamptz
            >= o.expires_at - ${EXPIRY_MARGIN}::interval then 'expired'
        else said.status end,
      reject_reason = case said.status when 'rejected' then 'rejected by the exchange' end,
      filled_quantity_wad = said.filled, changed_at = said.changed_at
    from (select ${order.status}::text as status, ${numeric(order.filledQuantityWad)}::numeric as filled,
      ${new Date(order.changedMs)}::timestamptz as changed_at) said
    where o.client_order_id = ${order.clientOrderId} and (o.status is null
      or (o.status = any(${OPEN}) and said.filled >= o.filled_quantity_wad
        and (said.status <> all(${OPEN}) or said.changed_at >= o.changed_at))
      or (o.status <> all(${OPEN}) and (o.broker_order_id is null
        or (said.status <> all(${OPEN}) and said.filled > o.filled_quantity_wad))))`
}

/**
 * The same for an order that may have no copy: it gets one. Not by `on conflict do update`: while another connection writes the row,
 * PostgreSQL can miss it in the index of client order ids and fail at that of the broker's ids, and what the broker said would be lost.
 */
export async function adoptOrder(db: Db, order: WireOrder): Promise<void> {
  await ensureCopy(db, order)
  await takeOrder(db, order)
}

/** Client order ids by the broker's own ids; unknown ones are missing. */
export async function clientOrderIds(db: Db, brokerOrderIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await db<{ broker_order_id: string; client_order_id: string }[]>`
    select broker_order_id, client_order_id from alpaca_orders
    where broker_order_id = any(${[...brokerOrderIds]}::text[])`
  return new Map(rows.map((row) => [row.broker_order_id, row.client_order_id]))
}

/** Writes executions at the end of the journal, each once. */
export async function journal(sql: Sql, executions: readonly Execution[]): Promise<void> {
  const column = (read: (execution: Execution) => bigint | string) => executions.map((one) => read(one).toString())
  await inTransaction(sql, async (tx: Tx) => {
    await tx`select pg_advisory_xact_lock(${JOURNAL_LOCK})`
    await tx`
      with fresh as (
        insert into alpaca_executions
          (execution_id, client_order_id, symbol, side, quantity_wad, price8, executed_at)
        select execution_id, client_order_id, symbol, side, quantity, price, executed_at from unnest(
          ${column((one) => one.executionId)}::text[], ${column((one) => one.clientOrderId)}::text[],
          ${column((one) => one.symbol)}::text[], ${column((one) => one.side)}::text[],
          ${column((one) => one.quantityWad)}::text[]::numeric[], ${column((one) => one.price8)}::text[]::numeric[],
          ${column((one) => new Date(one.timeMs).toISOString())}::text[]::timestamptz[]
        ) with ordinality as i (execution_id, client_order_id, symbol, side, quantity, price, executed_at, place)
        order by place
        on conflict (execution_id) do nothing returning client_order_id, quantity_wad
      )
      update alpaca_orders o set journaled_quantity_wad = journaled_quantity_wad + f.quantity
      from (select client_order_id, sum(quantity_wad) as quantity from fresh group by client_order_id) f
      where o.client_order_id = f.client_order_id`
  })
}

/** An order that counts less than the journal has of it. */
interface BehindOrder {
  readonly clientOrderId: string
  readonly brokerOrderId: string
  readonly isOpen: boolean
}

/** Where the journal and the orders' own counts differ. */
export interface Differences {
  /** When the oldest order was sent of which fills are missing, Unix ms; null when none is. */
  readonly missingFromMs: number | null
  readonly behind: readonly BehindOrder[]
}

export async function differences(db: Db): Promise<Differences> {
  const rows = await db<(BehindOrder & { submitted_at: Date; is_missing: boolean })[]>`
    select client_order_id as "clientOrderId", broker_order_id as "brokerOrderId", submitted_at,
      filled_quantity_wad > journaled_quantity_wad as is_missing, status = any(${OPEN}) as "isOpen"
    from alpaca_orders where filled_quantity_wad <> journaled_quantity_wad and broker_order_id is not null
    order by submitted_at limit 500`
  return {
    missingFromMs: rows.find((row) => row.is_missing)?.submitted_at.getTime() ?? null,
    behind: rows.filter((row) => !row.is_missing),
  }
}

/** Time of the newest execution that is known, Unix ms; null when there is none. */
export async function newestExecutionMs(db: Db): Promise<number | null> {
  const [row] = await db<{ newest: Date | null }[]>`select max(executed_at) as newest from alpaca_executions`
  return row?.newest?.getTime() ?? null
}

/** Executions after a position of the journal, and the last one's position. */
export async function journaledAfter(
  db: Db,
  position: bigint,
  limit: number,
): Promise<{ readonly executions: readonly Execution[]; readonly last: bigint }> {
  const rows = await db<(Execution & { position: bigint; executed_at: Date })[]>`
    select position, execution_id as "executionId", client_order_id as "clientOrderId", symbol, side,
      quantity_wad as "quantityWad", price8, executed_at
    from alpaca_executions where position > ${position} order by position limit ${limit}`
  return {
    executions: rows.map(({ position: _, executed_at, ...row }) => ({ ...row, timeMs: executed_at.getTime() })),
    last: rows.at(-1)?.position ?? position,
  }
}

/** The order as the port has it; null while the broker has not answered for it. */
export function answerOf(copy: CopiedOrder): BrokerOrder | null {
  if (copy.status === null) return null
  const { clientOrderId, symbol, side, status, filledQuantityWad, rejectReason } = copy
  return {
    clientOrderId,
    symbol,
    side,
    status,
    filledQuantityWad,
    rejectReason,
    brokerOrderId: copy.brokerOrderId ?? 'none',
  }
}

const toCopy = (row: OrderRow): CopiedOrder => ({
  clientOrderId: row.client_order_id,
  terms: row.terms,
  symbol: row.symbol,
  side: row.side,
  expiresAtMs: row.expires_at?.getTime() ?? null,
  unansweredAtMs: row.unanswered_at?.getTime() ?? null,
  status: row.status,
  brokerOrderId: row.broker_order_id,
  rejectReason: row.reject_reason,
  filledQuantityWad: row.filled_quantity_wad,
  submittedMs: row.submitted_at?.getTime() ?? null,
  endedUnsent: row.ended_unsent,
})
