import type { Hex } from '../../chain/types.ts'
import { type Db, numeric, type Tx } from '../../db/pool.ts'
import type { BrokerOrderStatus } from '../../market/ports.ts'
import { tokenPriceWad, tokensOf } from '../listing/shares.ts'

// Reads of the keeper: what the chain, the broker's books and the intents say together.

/** Indexed blocks below the head that the keeper waits for before it acts (chain profile, `actDepth`). */
export interface Confirmation {
  readonly chainId: number
  readonly actDepth: number
}

const confirmedBlock = (db: Db, { chainId, actDepth }: Confirmation) => db`
  (select max(number) - ${actDepth - 1}::bigint from blocks where chain_id = ${chainId})`

const confirmedSec = (db: Db, confirmation: Confirmation) => db`
  (select timestamp_sec from blocks
    where chain_id = ${confirmation.chainId} and number = ${confirmedBlock(db, confirmation)})`

/** Terms of an order on chain, in tokens. */
export interface OrderTerms {
  readonly orderId: Hex
  readonly token: Hex
  readonly type: 'Market' | 'Limit'
  readonly side: 'Buy' | 'Sell'
  /** The notional of a market buy in mUSD, else the quantity; 18 decimals. */
  readonly amountWad: bigint
  /** USD per token with 18 decimals; null for a market order. */
  readonly limitPriceWad: bigint | null
}

export interface NewOrder extends OrderTerms {
  readonly ticker: string
  /** When it was placed: its block's time, Unix seconds. */
  readonly placedAtSec: bigint
  /** Its user wants it ended, and that is confirmed too. */
  readonly cancelRequested: boolean
  /** False for one that has ended on chain. */
  readonly isOpen: boolean
  /** When the broker first executed for it, market clock: the database has lost that it was taken; null for all others. */
  readonly executedAt: Date | null
}

/**
 * Confirmed orders that the broker has not been given by what the database says: open ones, and those that have ended for which it has
 * executed all the same. First those that it has executed for or that are to be cancelled, which nothing keeps waiting; then those of each stock, side and type in turns, limit buys by price and all by age, so that buys which have to wait hide nothing that need not.
 */
export async function ordersWithoutBroker(db: Db, confirmation: Confirmation, limit: number): Promise<NewOrder[]> {
  const { chainId } = confirmation
  return await db<NewOrder[]>`
    select o.order_id as "orderId", o.token, t.ticker, o.order_type as type, o.side, o.amount_wad as "amountWad",
      o.limit_price_wad as "limitPriceWad", o.created_at_sec as "placedAtSec",
      coalesce(o.cancel_requested and o.cancel_requested_at_sec <= ${confirmedSec(db, confirmation)}, false)
        as "cancelRequested",
      o.status = 'open' as "isOpen", (select min(executed_at) from unclaimed_executions u
        where u.chain_id = o.chain_id and u.client_order_id = o.order_id) as "executedAt"
    from (
      select * from stock_orders where chain_id = ${chainId} and status = 'open'
      union all
      select * from stock_orders where chain_id = ${chainId} and status <> 'open'
        and order_id in (select client_order_id from unclaimed_executions where chain_id = ${chainId})
    ) o
    join stock_tokens t on t.chain_id = o.chain_id and t.token = o.token
    left join broker_orders b on b.chain_id = o.chain_id and b.client_order_id = o.order_id
    where b.client_order_id is null and o.block_number <= ${confirmedBlock(db, confirmation)}
    order by "executedAt" nulls last, "cancelRequested" desc, row_number() over (
        partition by o.token, o.side, o.order_type
        order by case o.side when 'Buy' then o.limit_price_wad end desc, o.block_number, o.create_tx_hash, o.index_in_tx),
      o.block_number, o.create_tx_hash, o.index_in_tx limit ${limit}`
}

/** An order with what a token of its stock stands for when the broker gets it, shares with 18 decimals. */
export interface TakenOrder extends OrderTerms {
  readonly sharesPerTokenWad: bigint
}

/** Notes under which terms orders are taken to the broker. */
export async function insertTakenOrders(tx: Tx, chainId: number, orders: readonly TakenOrder[]): Promise<void> {
  const rows = orders.map(({ orderId, token, type, side, amountWad, limitPriceWad, sharesPerTokenWad }) => ({
    chain_id: chainId,
    order_id: orderId,
    token,
    order_type: type,
    side,
    amount_wad: numeric(amountWad),
    limit_price_wad: numeric(limitPriceWad),
    shares_per_token_wad: numeric(sharesPerTokenWad),
  }))
  await tx`insert into taken_orders ${tx(rows)} on conflict do nothing`
}

/**
 * True when the order `o` of the chain has the terms under which the broker got it (`k`). A reorganisation may put another
 * order under the id after that: ids hold user and counter, not terms. What the broker filled is then not this order's.
 */
export const sameTerms = (db: Db) => db`
  (k.token = o.token and k.order_type = o.order_type and k.side = o.side and k.amount_wad = o.amount_wad
    and k.limit_price_wad is not distinct from o.limit_price_wad)`

/**
 * Orders at the broker whose end is wanted: their users have asked for it, or they have ended on chain, or the chain has
 * another order under the id; all confirmed.
 */
export async function ordersToCancel(db: Db, confirmation: Confirmation): Promise<Hex[]> {
  const confirmedAtSec = confirmedSec(db, confirmation)
  const rows = await db<{ orderId: Hex }[]>`
    select o.order_id as "orderId"
    from broker_orders b
    join stock_orders o on o.chain_id = b.chain_id and o.order_id = b.client_order_id
    join taken_orders k on k.chain_id = o.chain_id and k.order_id = o.order_id
    where b.chain_id = ${confirmation.chainId} and b.status in ('requested', 'accepted', 'partially_filled')
      and b.cancel_requested_at is null and (
        o.status = 'open' and o.cancel_requested and o.cancel_requested_at_sec <= ${confirmedAtSec}
        or o.status <> 'open' and o.closed_at_sec <= ${confirmedAtSec}
        or not ${sameTerms(db)} and o.block_number <= ${confirmedBlock(db, confirmation)})
    order by o.order_id`
  return rows.map(({ orderId }) => orderId)
}

/** An open order of the chain for which there is something to settle, or that the broker has finished with. */
export interface SettleableOrder {
  readonly orderId: Hex
  readonly token: Hex
  readonly type: 'Market' | 'Limit'
  readonly side: 'Buy' | 'Sell'
  /** The notional of a market buy in mUSD, else the quantity; 18 decimals. */
  readonly amountWad: bigint
  readonly brokerStatus: 'requested' | BrokerOrderStatus
  /** Tokens that the chain has settled of it. */
  readonly filledQuantityWad: bigint
  /** What the chain has settled them for, USD with 18 decimals. */
  readonly filledNotionalWad: bigint
  /** Tokens that the broker has filled of it. */
  readonly brokerQuantityWad: bigint
  readonly cancelRequested: boolean
  /** False when the chain has another order under the id than the broker got. */
  readonly sameTerms: boolean
}

export interface SettleableFilter {
  /** Of each token and kind: market or limit, with something filled that the chain does not show or only to be ended. */
  readonly limitPerKind: number
  readonly exceptTokens: readonly string[]
  readonly exceptOrders: readonly string[]
}

/**
 * Open orders that the broker has finished with, and limit orders of which it has filled more than the chain shows; of each
 * token and kind its users in turns, each one's oldest first. So a crowd of orders that are only to be ended hides nothing that
 * was filled, and one user's crowd no other user's order.
 */
export async function settleableOrders(db: Db, chainId: number, filter: SettleableFilter): Promise<SettleableOrder[]> {
  return await db<SettleableOrder[]>`
    with taken as (
      select o.*, b.status as broker_status, ${sameTerms(db)} as same_terms,
        ${tokensOf(db, db`b.filled_quantity_wad`, db`k.shares_per_token_wad`)} as broker_quantity_wad
      from stock_orders o
      join taken_orders k on k.chain_id = o.chain_id and k.order_id = o.order_id
      join broker_orders b on b.chain_id = o.chain_id and b.client_order_id = o.order_id
      where o.chain_id = ${chainId} and o.status = 'open' and o.token <> all(${[...filter.exceptTokens]}::text[])
        and o.order_id <> all(${[...filter.exceptOrders]}::text[])
    ), settleable as (
      select *, row_number() over (partition by token, order_type, has_fill, user_address
        order by block_number, create_tx_hash, index_in_tx) as turn
      from (select *, broker_quantity_wad > filled_quantity_wad as has_fill from taken) t
      where not same_terms or broker_status in ('filled', 'canceled', 'expired', 'rejected')
        or order_type = 'Limit' and has_fill
    ), placed as (
      select *, row_number() over (partition by token, order_type, has_fill
        order by turn, block_number, create_tx_hash, index_in_tx) as place
      from settleable
    )
    select order_id as "orderId", token, order_type as type, side, amount_wad as "amountWad", broker_status as "brokerStatus",
      filled_quantity_wad as "filledQuantityWad", filled_notional_wad as "filledNotionalWad",
      broker_quantity_wad as "brokerQuantityWad", cancel_requested as "cancelRequested", same_terms as "sameTerms"
    from placed where place <= ${filter.limitPerKind} order by token, place`
}

/** An execution that no settlement has taken yet, in tokens. */
export interface OpenExecution {
  readonly executionId: string
  readonly orderId: Hex
  readonly quantityWad: bigint
  /** USD per token with 18 decimals. */
  readonly priceWad: bigint
  /** What earlier executions of the order had filled. */
  readonly filledBeforeWad: bigint
  /** What the broker has traded for with it and the earlier ones, USD with 18 decimals. */
  readonly tradedWad: bigint
}

const tokensBefore = (db: Db) => tokensOf(db, db`e.filled_before_wad`, db`k.shares_per_token_wad`)
/** Tokens of an order (`k`) that are filled with its execution `e`. */
export const tokensAfter = (db: Db) =>
  tokensOf(db, db`e.filled_before_wad + e.quantity_wad`, db`k.shares_per_token_wad`)

/** The open executions of the named orders, each order's in the order they happened. */
export async function openExecutionsOf(db: Db, chainId: number, orderIds: readonly Hex[]): Promise<OpenExecution[]> {
  if (orderIds.length === 0) return []
  const rows = await db<(Omit<OpenExecution, 'priceWad'> & { price8: bigint; sharesPerTokenWad: bigint })[]>`
    with executions as (
      select *, sum(cash_wad) over (partition by client_order_id order by filled_before_wad) as traded_wad
      from broker_executions where chain_id = ${chainId} and client_order_id = any(${orderIds as string[]})
    )
    select e.execution_id as "executionId", e.client_order_id as "orderId", e.price8, e.traded_wad as "tradedWad",
      ${tokensBefore(db)} as "filledBeforeWad", ${tokensAfter(db)} - ${tokensBefore(db)} as "quantityWad",
      k.shares_per_token_wad as "sharesPerTokenWad"
    from executions e
    join execution_settlements s using (chain_id, execution_id, executed_at)
    join taken_orders k on k.chain_id = e.chain_id and k.order_id = e.client_order_id
    where s.intent_id is null
    order by e.client_order_id, e.filled_before_wad`
  return rows.map(({ price8, sharesPerTokenWad, ...row }) => ({
    ...row,
    priceWad: tokenPriceWad(price8, sharesPerTokenWad),
  }))
}

/** Executions of which the database and the chain do not say the same. */
export interface ExecutionsByChain {
  /** Open here, settled there. */
  readonly settled: readonly string[]
  /** Given to `lostIntentId` here, not settled there. */
  readonly vanished: readonly string[]
}

/** What the chain shows, and what it shows no longer, of executions without an intent of the database. */
export async function executionsByChain(db: Db, chainId: number, lostIntentId: bigint): Promise<ExecutionsByChain> {
  const isSettled = db`coalesce(${sameTerms(db)} and o.filled_quantity_wad >= ${tokensAfter(db)}, false)`
  const ofExecutions = db`
    from execution_settlements s
    join broker_executions e using (chain_id, execution_id, executed_at)
    join taken_orders k on k.chain_id = e.chain_id and k.order_id = e.client_order_id
    left join stock_orders o on o.chain_id = e.chain_id and o.order_id = e.client_order_id
    where s.chain_id = ${chainId}`
  const rows = await db<{ executionId: string; isSettled: boolean }[]>`
    select s.execution_id as "executionId", true as "isSettled" ${ofExecutions} and s.intent_id is null and ${isSettled}
    union all
    select s.execution_id, false ${ofExecutions} and s.intent_id = ${lostIntentId.toString()}::bigint and not ${isSettled}`
  const idsOf = (wanted: boolean) => rows.flatMap((row) => (row.isSettled === wanted ? [row.executionId] : []))
  return { settled: idsOf(true), vanished: idsOf(false) }
}

/** An execution that the chain does not show although the intent that was to settle it has ended. */
export interface MissedExecution {
  readonly executionId: string
  readonly orderId: Hex
  readonly intentId: bigint
  readonly orderingKey: string
  readonly revertData: Hex | null
  readonly problem: string | null
}

/**
 * Executions given to one of these intents, which have ended, whose order is not filled that far on chain: the transaction
 * reverted or was skipped, or the order itself was reorganised away.
 */
export async function missedExecutions(
  db: Db,
  chainId: number,
  endedIntentIds: readonly bigint[],
): Promise<MissedExecution[]> {
  return await db<MissedExecution[]>`
    select e.execution_id as "executionId", e.client_order_id as "orderId", i.id as "intentId",
      i.ordering_key as "orderingKey", i.revert_data as "revertData", i.problem
    from execution_settlements s
    join broker_executions e using (chain_id, execution_id, executed_at)
    join tx_intents i on i.chain_id = s.chain_id and i.id = s.intent_id
    join taken_orders k on k.chain_id = e.chain_id and k.order_id = e.client_order_id
    left join stock_orders o on o.chain_id = e.chain_id and o.order_id = e.client_order_id
    where s.chain_id = ${chainId} and s.intent_id = any(${endedIntentIds.map(String)}::bigint[])
      and coalesce(o.filled_quantity_wad, 0) < ${tokensAfter(db)}
    order by e.client_order_id, e.filled_before_wad`
}

/** The intent up to which what became of settlements has been looked at for good, 0 at first, and the newest one that there is. */
export async function settlementMark(
  db: Db,
  chainId: number,
): Promise<{ readonly mark: bigint; readonly newest: bigint }> {
  const [row] = await db<{ mark: bigint; newest: bigint }[]>`
    select coalesce((select intent_id from settlement_marks where chain_id = ${chainId}), 0) as mark,
      coalesce((select max(id) from tx_intents where chain_id = ${chainId}), 0) as newest`
  return row ?? { mark: 0n, newest: 0n }
}

export async function moveSettlementMark(tx: Tx, chainId: number, intentId: bigint): Promise<void> {
  await tx`
    insert into settlement_marks (chain_id, intent_id) values (${chainId}, ${numeric(intentId)}::bigint)
    on conflict (chain_id) do update set intent_id = excluded.intent_id`
}

export interface QueuedCashOperation {
  readonly operationId: Hex
  readonly kind: 'deposit' | 'withdraw'
}

/**
 * Every queued cash operation that may be settled, oldest first. Without a limit on purpose: many that cannot be settled now must not keep the
 * others out of sight. A deposit of a token whose deposits are paused waits: the contract would credit it at the rate before the token lost
 * its peg. Its user can take it back.
 */
export async function queuedCashOperations(db: Db, chainId: number): Promise<QueuedCashOperation[]> {
  return await db<QueuedCashOperation[]>`
    select o.operation_id as "operationId", o.kind from cash_operations o
    where o.chain_id = ${chainId} and o.status = 'queued'
      and not (o.kind = 'deposit' and exists (
        select from cash_tokens t where t.chain_id = o.chain_id and t.token = o.token and t.deposit_paused))
    order by o.created_at_sec, o.operation_id`
}

export interface PublishedPrice {
  readonly priceId: Hex
  readonly price8: bigint
  readonly feedUpdatedAtSec: bigint
  readonly publishedAtSec: bigint
  readonly session: number
}

/** The newest price of each feed on chain. */
export async function publishedPrices(db: Db, chainId: number): Promise<PublishedPrice[]> {
  return await db<PublishedPrice[]>`
    select price_id as "priceId", price_e8 as "price8", feed_updated_at_sec as "feedUpdatedAtSec",
      published_at_sec as "publishedAtSec", session
    from oracle_prices where chain_id = ${chainId}`
}
