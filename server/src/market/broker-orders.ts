import { type Db, inTransaction, type Sql, type Tx } from '../db/pool.ts'
import { chunks } from '../lib/chunks.ts'
import { AppError } from '../lib/errors.ts'
import { inParallel } from '../lib/turns.ts'
import { WAD_DECIMALS } from '../lib/wad.ts'
import {
  applyBrokerAnswers,
  closeExecutions,
  columnsOf,
  countSubmissions,
  findBrokerOrders,
  insertExecutions,
  insertOrders,
  type OrderRecord,
  openBrokerOrders,
  openExecutions,
  readExecutionsCursor,
  recordSubmitError,
  rejectOrder,
  requestedOrders,
  takeBackSubmission,
  writeExecutionsCursor,
} from './broker-store.ts'
import { EXECUTIONS, ensurePartitions } from './partitions.ts'
import type { Broker, BrokerOrder, BrokerOrderRequest, Execution, ExecutionPage, OrderTerms } from './ports.ts'
import { marketReasons } from './reasons.ts'
import { claimableExecutions, dropClaimed, keepUnclaimed } from './unclaimed-store.ts'

const PAGE = 500
const LOOK_UP = 100
/** Orders on their way to the broker at the same time; well below the connections of a process to its database. */
const AT_ONCE = 6
/** Orders whose submissions are counted, and whose answers are recorded, together. */
const TOGETHER = 4 * AT_ONCE
const TOO_FINE = 'the amount is finer than the broker trades'

/**
 * Stores orders for the broker, in the caller's transaction: from its commit on each will reach the broker, once, whatever dies
 * in between. The same order again changes nothing, its expiry neither; an id with other terms throws `client_order_id_reused`.
 * Ids must be unique among all chains that trade through one broker account.
 */
export async function requestOrders(
  db: Db,
  broker: Broker,
  chainId: number,
  orders: readonly BrokerOrderRequest[],
): Promise<void> {
  for (const { clientOrderId } of orders) {
    if (clientOrderId.length < 1 || clientOrderId.length > 128) {
      throw new AppError(marketReasons.client_order_id_invalid, 'a client order id has 1 to 128 characters')
    }
  }
  await insertOrders(db, chainId, broker.name, orders)
  const stored = byId(await findBrokerOrders(db, chainId, idsOf(orders)))
  for (const order of orders) {
    const known = stored.get(order.clientOrderId)
    if (known && known.symbol === order.symbol && sameTerms(known.terms, order)) continue
    throw new AppError(
      marketReasons.client_order_id_reused,
      `client order id ${order.clientOrderId} names another order: ${known?.terms.side} ${known?.symbol}`,
    )
  }
}

/** The same for one order; resolves to its record. */
export async function requestOrder(
  db: Db,
  broker: Broker,
  chainId: number,
  order: BrokerOrderRequest,
): Promise<OrderRecord> {
  await requestOrders(db, broker, chainId, [order])
  return storedOrder(db, chainId, order.clientOrderId)
}

/**
 * Sends stored orders to the broker, but for those it has answered before, and records its answers. When the outcome of one
 * stays unknown it stays `requested` and is sent again later, under the same id. Kill-safe: submissions are counted before they
 * are made, and the broker knows a repeated id.
 */
async function submitOrders(
  sql: Sql,
  broker: Broker,
  chainId: number,
  clientOrderIds: readonly string[],
): Promise<readonly OrderRecord[]> {
  const due: { readonly clientOrderId: string; readonly request: BrokerOrderRequest | null }[] = []
  for (const stored of await recordsOf(sql, chainId, clientOrderIds)) {
    const { clientOrderId, status, submitAttempts } = stored
    if (status !== 'requested') continue
    const request = cutToPrecision(stored, broker)
    // Of one that was submitted before, only the broker says how it ends.
    if (request || submitAttempts > 0) due.push({ clientOrderId, request })
    else await rejectOrder(sql, chainId, clientOrderId, TOO_FINE)
  }
  const counted = await countSubmissions(
    sql,
    chainId,
    due.map(({ clientOrderId }) => clientOrderId),
  )
  const answers: BrokerOrder[] = []
  await inParallel(due, AT_ONCE, async ({ clientOrderId, request }) => {
    if (!counted.has(clientOrderId)) return
    try {
      const current = request && (await atPresent(sql, chainId, request))
      if (current === 'cancelled') return
      answers.push(await (current ? answerOf(broker, current) : standingOf(broker, clientOrderId)))
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      await recordSubmitError(sql, chainId, clientOrderId, problem)
    }
  })
  if (answers.length > 0) await applyBrokerAnswers(sql, chainId, answers)
  return recordsOf(sql, chainId, clientOrderIds)
}

/**
 * An order with the end that it has at the moment of its turn: a split that was applied since it was read may have moved that. `cancelled`
 * where it is to be cancelled by now and no submission before this one was made.
 */
async function atPresent(
  sql: Sql,
  chainId: number,
  request: BrokerOrderRequest,
): Promise<BrokerOrderRequest | 'cancelled'> {
  const { expiresAtMs, cancelRequested } = await storedOrder(sql, chainId, request.clientOrderId)
  if (cancelRequested && (await takeBackSubmission(sql, chainId, request.clientOrderId))) return 'cancelled'
  return { ...request, expiresAtMs }
}

/** What the broker answers to an order. Throws when the answer is about another one. */
async function answerOf(broker: Broker, request: BrokerOrderRequest): Promise<BrokerOrder> {
  const answer = await broker.submit(request)
  const { clientOrderId, symbol, side } = request
  if (answer.clientOrderId === clientOrderId && answer.symbol === symbol && answer.side === side) return answer
  throw new AppError(
    marketReasons.broker_answer_invalid,
    `the broker's order ${answer.brokerOrderId} is ${answer.side} ${answer.symbol} under ${answer.clientOrderId}`,
  )
}

/** How an order stands at the broker that was submitted before and has become too small for it. Throws when the broker does not show it. */
async function standingOf(broker: Broker, clientOrderId: string): Promise<BrokerOrder> {
  const [order] = await broker.findOrders([clientOrderId])
  if (order) return order
  throw new AppError(marketReasons.broker_answer_invalid, `${TOO_FINE}, and it does not show the order`)
}

/** Sends one stored order, as `submitRequested` does. */
export async function submitOrder(
  sql: Sql,
  broker: Broker,
  chainId: number,
  clientOrderId: string,
): Promise<OrderRecord> {
  await submitOrders(sql, broker, chainId, [clientOrderId])
  return storedOrder(sql, chainId, clientOrderId)
}

/**
 * Sends the stored orders that are due and have no answer yet, the oldest first and a few at once: a broker that takes a moment
 * for each must not hold up those behind. Resolves to those still without an answer.
 */
export async function submitRequested(sql: Sql, broker: Broker, chainId: number): Promise<readonly OrderRecord[]> {
  const due = await requestedOrders(sql, chainId, PAGE)
  const orders: OrderRecord[] = []
  for (const some of chunks(due, TOGETHER)) orders.push(...(await submitOrders(sql, broker, chainId, some)))
  return orders.filter(({ status }) => status === 'requested')
}

export interface Collected {
  /** Ids of the executions recorded now. */
  readonly executionIds: readonly string[]
  /** Executions in the broker's books, read for the first time, that belong to no order the venue has. */
  readonly foreign: readonly Execution[]
}

/**
 * Records what the broker has executed since the last time, each execution once, and brings the venue's open orders up to
 * the broker's books. The cursor moves in the transaction that records: a kill at any point loses and repeats nothing. What
 * belongs to no order that is stored is kept and recorded once there is one: a database that was put back to an earlier state
 * may read executions before it has taken their orders again.
 */
export async function collectExecutions(sql: Sql, broker: Broker, chainId: number): Promise<Collected> {
  const executionIds: string[] = []
  const foreign: Execution[] = []
  for (;;) {
    const cursor = await readExecutionsCursor(sql, chainId, broker.name)
    const page = await broker.executionsSince(cursor, PAGE)
    if (page.executions.length === 0) break
    const times = page.executions.map((execution) => execution.timeMs)
    await ensurePartitions(sql, EXECUTIONS, times)
    const recorded = await inTransaction(sql, (tx) => recordPage(tx, broker, chainId, page))
    executionIds.push(...recorded.executionIds)
    foreign.push(...recorded.foreign)
    if (page.executions.length < PAGE) break
  }
  const open = await openBrokerOrders(sql, chainId)
  executionIds.push(...(await claimOfOpenOrders(sql, chainId, open)))
  await refreshOrders(sql, broker, chainId, open)
  return { executionIds, foreign }
}

async function recordPage(tx: Tx, broker: Broker, chainId: number, page: ExecutionPage): Promise<Collected> {
  await writeExecutionsCursor(tx, chainId, broker.name, page.cursor)
  const once = [...new Map(page.executions.map((execution) => [execution.executionId, execution])).values()]
  // Before those of the page: what the chain has settled of an order is settled in the order of the broker's books.
  const claimed = await claim(tx, chainId, [...new Set(once.map((execution) => execution.clientOrderId))])
  const recorded = await insertExecutions(tx, chainId, once)
  // By what was not recorded, not by a second look at the orders, which may have come in between.
  const unclaimed = await keepUnclaimed(tx, chainId, once)
  return {
    executionIds: [...claimed, ...recorded],
    foreign: once.filter((execution) => unclaimed.has(execution.executionId)),
  }
}

/** Records the kept executions of those of the named orders that are stored. Their partitions were made when they were read. */
async function claim(tx: Tx, chainId: number, clientOrderIds: readonly string[]): Promise<readonly string[]> {
  const executions = await claimableExecutions(tx, chainId, clientOrderIds)
  if (executions.length === 0) return []
  const recorded = await insertExecutions(tx, chainId, executions)
  await dropClaimed(
    tx,
    chainId,
    executions.map(({ executionId }) => executionId),
  )
  return recorded
}

async function claimOfOpenOrders(sql: Sql, chainId: number, open: readonly string[]): Promise<readonly string[]> {
  if (open.length === 0 || (await claimableExecutions(sql, chainId, open)).length === 0) return []
  return inTransaction(sql, (tx) => claim(tx, chainId, open))
}

async function refreshOrders(sql: Sql, broker: Broker, chainId: number, open: readonly string[]): Promise<void> {
  for (const some of chunks(open, LOOK_UP)) await applyBrokerAnswers(sql, chainId, await broker.findOrders(some))
}

/**
 * Gives executions to the intent that settles them, in the transaction that inserts the intent. Throws
 * `execution_not_open` when one of them is unknown or belongs to another settlement: nothing is settled twice.
 */
export async function markSettled(
  tx: Tx,
  chainId: number,
  executionIds: readonly string[],
  intentId: bigint,
): Promise<void> {
  const closed = await closeExecutions(tx, chainId, executionIds, intentId)
  if (closed === executionIds.length) return
  throw new AppError(
    marketReasons.execution_not_open,
    `${executionIds.length - closed} of ${executionIds.length} executions are not open for settlement`,
  )
}

/**
 * Opens executions again whose intent settled nothing of them (it failed, or the chain took it back), for another intent.
 * Those that are open already stay so.
 */
export async function reopenExecutions(tx: Tx, chainId: number, executionIds: readonly string[]): Promise<void> {
  await openExecutions(tx, chainId, executionIds)
}

const idsOf = (orders: readonly BrokerOrderRequest[]): string[] => orders.map(({ clientOrderId }) => clientOrderId)

/** The named orders that are stored, in the order of the ids. */
async function recordsOf(db: Db, chainId: number, ids: readonly string[]): Promise<readonly OrderRecord[]> {
  const records = byId(await findBrokerOrders(db, chainId, ids))
  return ids.flatMap((id) => records.get(id) ?? [])
}

const byId = (records: readonly OrderRecord[]) => new Map(records.map((order) => [order.clientOrderId, order]))

async function storedOrder(db: Db, chainId: number, clientOrderId: string): Promise<OrderRecord> {
  const [order] = await findBrokerOrders(db, chainId, [clientOrderId])
  if (!order) throw new Error(`no broker order ${clientOrderId} on chain ${chainId}`)
  return order
}

function sameTerms(a: OrderTerms, b: OrderTerms): boolean {
  const [one, other] = [columnsOf(a), columnsOf(b)]
  const same = one.notionalWad === other.notionalWad && one.quantityWad === other.quantityWad
  return same && a.side === b.side && one.limitPrice8 === other.limitPrice8
}

/** The order with the broker's decimals, finer digits cut off; null when nothing is left. */
function cutToPrecision(order: OrderRecord, { precision }: Broker): BrokerOrderRequest | null {
  const { clientOrderId, symbol, terms, expiresAtMs } = order
  const named = { clientOrderId, symbol, expiresAtMs }
  if ('notionalWad' in terms) {
    const notionalWad = cut(terms.notionalWad, precision.notionalDecimals)
    return notionalWad === 0n ? null : { ...named, ...terms, notionalWad }
  }
  const quantityWad = cut(terms.quantityWad, precision.quantityDecimals)
  return quantityWad === 0n ? null : { ...named, ...terms, quantityWad }
}

function cut(amountWad: bigint, decimals: number): bigint {
  const unit = 10n ** BigInt(WAD_DECIMALS - decimals)
  return (amountWad / unit) * unit
}
