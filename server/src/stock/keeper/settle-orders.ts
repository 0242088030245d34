import { stockAbi } from '../../chain/abi/stock.ts'
import { contractAddress } from '../../chain/deployment.ts'
import { busyOrderingKeys } from '../../chain/send/ended-intents.ts'
import type { Hex } from '../../chain/types.ts'
import { type Db, inTransaction } from '../../db/pool.ts'
import type { Venue } from '../../http/product.ts'
import { Backoff } from '../../lib/backoff.ts'
import { markSettled } from '../../market/broker-orders.ts'
import { openExecutionsOf, settleableOrders } from './keeper-store.ts'
import { followChain } from './settled-on-chain.ts'
import {
  type Batch,
  type Cancellation,
  cancellationsOf,
  type Fill,
  fillsOf,
  isEndedMarketOrder,
  reasonCodeOf,
  type Settlement,
} from './settlement-batch.ts'
import { settlementCash } from './settlement-cash.ts'
import {
  BATCH_KINDS,
  type BatchKind,
  reopenMissed,
  SETTLE_PREFIX,
  type SettlementMemory,
  tokenOfKey,
} from './settlement-failures.ts'
import { insertSettleIntent } from './settlement-intent.ts'

/** Orders of one token and kind that a round considers. */
const MAX_ORDERS = 200
/** Orders in one transaction: at 60,000 gas each well below every chain's cap. */
const MAX_FILLS = 50
/** A cause that concerns a whole token (a stale oracle, a pause) ends for all of it at once. */
const MAX_TOKEN_DELAY_MS = 30_000

export const settlementMemory = (): SettlementMemory => ({
  orders: new Backoff(),
  tokens: new Backoff(MAX_TOKEN_DELAY_MS),
  marketOrders: new Backoff(MAX_TOKEN_DELAY_MS),
  retriedLast: new Set(),
  lastKind: new Map(),
  outcomes: new Map(),
})

/**
 * Settles what the broker has done: market orders once it has finished with them, limit orders part by part, and their ends.
 * One batch a stock token, and no second one for a token before the first is seen on chain. Whether an execution is settled
 * is read from the chain, never assumed from a sent transaction: what an intent did not achieve is taken back from it and
 * tried again, later each time; what the chain shows without an intent is settled all the same.
 */
export async function settleOrders(venue: Venue, memory: SettlementMemory): Promise<'waiting' | undefined> {
  const { sql, clock, deployment } = venue
  const { chainId } = deployment
  const mayHaveMissed = await reopenMissed(venue, memory)
  await followChain(venue)
  // Read before the orders, so that what is no longer busy is already to be seen in them.
  const busy = await busyOrderingKeys(sql, chainId, SETTLE_PREFIX)
  const busyTokens = [...busy].map(tokenOfKey)
  const orders = await settleableOrders(sql, chainId, {
    limitPerKind: MAX_ORDERS,
    exceptTokens: [...busyTokens, ...memory.tokens.waiting(clock.nowMs())],
    exceptOrders: memory.orders.waiting(clock.nowMs()),
  })
  const orderIds = orders.map(({ orderId }) => orderId)
  const executions = Map.groupBy(await openExecutionsOf(sql, chainId, orderIds), ({ orderId }) => orderId)
  const settlements = orders.map((order) => ({ order, executions: executions.get(order.orderId) ?? [] }))
  const byToken = Map.groupBy(settlements, ({ order }) => order.token)
  for (const [token, ofToken] of byToken) await settleToken(venue, token, ofToken, memory)
  return mayHaveMissed || busy.size > 0 || orders.length > 0 ? 'waiting' : undefined
}

async function settleToken(
  venue: Venue,
  token: Hex,
  settlements: readonly Settlement[],
  memory: SettlementMemory,
): Promise<void> {
  const ended = settlements.filter(({ order }) => isEndedMarketOrder(order)).slice(0, MAX_FILLS)
  if (ended.length > 0) await rejectRest(venue, token, ended, memory)
  const turns = turnsAfter(memory.lastKind.get(token))
  for (const kind of turns) {
    if (kind === 'market' && !memory.marketOrders.isDue(token, venue.clock.nowMs())) continue
    const chosen = chooseBatch(kind, token, settlements, memory)
    const { executionIds, items } = chosen.batch
    if (executionIds.length === 0 && items.length === 0) continue
    memory.lastKind.set(token, kind)
    return settleBatch(venue, token, chosen, memory)
  }
}

/** The kinds of batches, beginning with the one after `last`. */
function turnsAfter(last: BatchKind | undefined): readonly BatchKind[] {
  const first = last === undefined ? 0 : BATCH_KINDS.indexOf(last) + 1
  return [...BATCH_KINDS.slice(first), ...BATCH_KINDS.slice(0, first)]
}

/** A batch and what it settles. */
type BatchOfKind =
  | { readonly kind: 'market' | 'limit'; readonly batch: Batch<Fill> }
  | { readonly kind: 'cancel'; readonly batch: Batch<Cancellation> }

function chooseBatch(
  kind: BatchKind,
  token: Hex,
  settlements: readonly Settlement[],
  memory: SettlementMemory,
): BatchOfKind {
  const ofKind = settlements.filter(({ order }) => (order.type === 'Market') === (kind === 'market'))
  const lane = `${kind} ${token}`
  if (kind === 'cancel') return { kind, batch: nextInLane(lane, ofKind, cancellationsOf, memory) }
  return { kind, batch: nextInLane(lane, ofKind, fillsOf, memory) }
}

/**
 * Orders that never failed go together; one that did goes alone, so that it cannot hold the others back, and takes turns
 * with them, so that they do not hold it back either.
 */
function nextInLane<Item>(
  lane: string,
  ofKind: readonly Settlement[],
  gather: (some: readonly Settlement[], most: number) => Batch<Item>,
  memory: SettlementMemory,
): Batch<Item> {
  const batchOf = (some: readonly Settlement[]) => gather(some, MAX_FILLS)
  const hasFailed = ({ order }: Settlement) => memory.orders.failures(order.orderId) > 0
  const sound = batchOf(ofKind.filter((one) => !hasFailed(one)))
  const again = ofKind.filter(hasFailed).map((one) => batchOf([one]))
  const retry = again.find(({ items }) => items.length > 0)
  if (retry && (sound.items.length === 0 || !memory.retriedLast.has(lane))) {
    memory.retriedLast.add(lane)
    return retry
  }
  memory.retriedLast.delete(lane)
  return sound
}

/**
 * Inserts a batch. Never twice for one execution: it is stored in one transaction with the mark on the executions. The
 * exchange itself mints what the batch delivers and burns what it brings in, so the settler holds no stock.
 */
async function settleBatch(venue: Venue, token: Hex, chosen: BatchOfKind, memory: SettlementMemory): Promise<void> {
  const { chainId } = venue.deployment
  const { executionIds, orderIds, netNotionalWad } = chosen.batch
  const cash = await settlementCash(venue, netNotionalWad)
  if (cash === null) return
  await inTransaction(venue.sql, async (tx) => {
    const intent = await insertBatch(tx, venue, token, cash, chosen)
    await markSettled(tx, chainId, executionIds, intent.id)
  })
  // A cancellation without a last part leaves no execution by which its failure would be seen.
  if (chosen.kind === 'cancel') for (const orderId of orderIds) memory.orders.fail(orderId, venue.clock.nowMs())
}

function insertBatch(db: Db, venue: Venue, token: Hex, cash: Hex, { kind, batch }: BatchOfKind) {
  const stock = stockOf(venue)
  if (kind === 'cancel') return insertSettleIntent(db, venue, token, stock, 'settleCancels', [token, cash, batch.items])
  const name = kind === 'market' ? 'settleMarketOrders' : 'settleLimitOrders'
  return insertSettleIntent(db, venue, token, stock, name, [token, cash, batch.items])
}

const stockOf = ({ deployment }: Venue) => ({ address: contractAddress(deployment, 'Stock'), abi: stockAbi })

/**
 * Ends market orders that the broker will not fill any further; the contract releases the rest of their locks. Until the
 * chain shows it the attempt counts as failed, so that a rejection which cannot succeed now (a pause) is not sent in a loop.
 */
async function rejectRest(
  venue: Venue,
  token: Hex,
  ended: readonly Settlement[],
  memory: SettlementMemory,
): Promise<void> {
  const rejections = ended.map(({ order }) => ({
    orderId: order.orderId,
    filledBefore: order.filledQuantityWad,
    reasonCode: reasonCodeOf(order),
  }))
  await inTransaction(venue.sql, (tx) =>
    insertSettleIntent(tx, venue, token, stockOf(venue), 'rejectMarketOrders', [rejections]),
  )
  for (const { order } of ended) memory.orders.fail(order.orderId, venue.clock.nowMs())
}
