import { type EndedIntent, endedIntents, resolvedUpTo } from '../../chain/send/ended-intents.ts'
import type { Hex } from '../../chain/types.ts'
import { inSnapshot, inTransaction } from '../../db/pool.ts'
import type { Venue } from '../../http/product.ts'
import type { Backoff } from '../../lib/backoff.ts'
import { reopenExecutions } from '../../market/broker-orders.ts'
import { stockReverts } from '../reverts/stock-reverts.ts'
import { type MissedExecution, missedExecutions, moveSettlementMark, settlementMark } from './keeper-store.ts'

/** Settlements of one token have this ordering key: they follow each other. */
export const SETTLE_PREFIX = 'stock.settle:'
export const settleKey = (token: Hex): string => `${SETTLE_PREFIX}${token}`
export const tokenOfKey = (orderingKey: string): Hex => orderingKey.slice(SETTLE_PREFIX.length) as Hex

/** Intents that are looked at in one round: a history of any length holds up no settlement, and no statement runs out of its time. */
const MOST_INTENTS = 1000

/** Reverts of a settlement that name the order they are about, as their first argument. */
const NAMES_AN_ORDER = new Set(['FillPriceOutsideBand', 'FillPriceBeyondLimit'])

/** Reverts by which every batch of market orders of the token would end, and none of limit orders. */
const OF_MARKET_ORDERS = new Set(['MarketClosed'])

/** Reverts that no order of the batch is to blame for, and that the token's next batch would meet as well. */
const GENERAL = new Set([
  'EnforcedPause',
  'AccessControlUnauthorizedAccount',
  'UserNotApproved',
  'TokenPaused',
  'InvalidStockToken',
  'TokenNotSupported',
  'OraclePriceStale',
  'UnknownPriceId',
  'FeedFrozen',
])

/** Calls of the contract that deliver tokens, each on its own, so that one that reverts holds back no other. */
export const BATCH_KINDS = ['market', 'limit', 'cancel'] as const
export type BatchKind = (typeof BATCH_KINDS)[number]

/**
 * What the settlement task remembers between rounds; losing it costs attempts, never money. Keeping it longer than a leadership would: ids
 * of intents that a database lost are given out again.
 */
export interface SettlementMemory {
  readonly orders: Backoff
  /** Tokens of which nothing can be settled now. */
  readonly tokens: Backoff
  /** Tokens of which market orders cannot be settled now. */
  readonly marketOrders: Backoff
  /** Kind and token whose last batch was a single order tried again. */
  readonly retriedLast: Set<string>
  /** The kind of each token's last batch: kinds take turns. */
  readonly lastKind: Map<Hex, BatchKind>
  /** What intents above the mark came to when they were looked at: the same outcome need not be looked at again. */
  readonly outcomes: Map<bigint, string>
}

/**
 * Takes back from ended intents what the chain does not show (the venue's hedge then shows it), and backs off whatever the
 * revert blames: the order that the revert names; everything of the token when the cause is general, such as a stale oracle; else
 * each of the orders, which go alone from then on (one of them may ask for more cash than there is). True when there may be more intents to
 * look at.
 */
export async function reopenMissed(venue: Venue, memory: SettlementMemory): Promise<boolean> {
  const news = await newlyEnded(venue, memory)
  await storeNews(venue, news)
  const { mark, ended, missed } = news
  for (const ofIntent of Map.groupBy(missed, ({ intentId }) => intentId).values()) {
    letWait(ofIntent, memory, venue.clock.nowMs())
  }
  for (const { id, outcome } of ended) memory.outcomes.set(id, outcome)
  for (const id of memory.outcomes.keys()) if (id <= mark) memory.outcomes.delete(id)
  for (const { executionId, orderId, intentId, revertData, problem } of missed) {
    const why = stockReverts.name(revertData) ?? problem ?? 'skipped on chain, or its block was reorganised away'
    venue.log.warn({ executionId, orderId, intentId: String(intentId), why }, 'an execution was not settled')
  }
  return ended.length === MOST_INTENTS
}

interface News {
  /** Intents up to this one were looked at for good before. */
  readonly mark: bigint
  /** Intents up to this one are looked at for good with these. */
  readonly upTo: bigint
  readonly ended: readonly EndedIntent[]
  readonly missed: readonly MissedExecution[]
}

/**
 * Intents whose outcome is not known yet, and what they missed: in one snapshot, so that a reorganisation in between does not make
 * what was settled look missed.
 */
function newlyEnded({ sql, deployment: { chainId } }: Venue, { outcomes }: SettlementMemory): Promise<News> {
  return inSnapshot(sql, async (tx) => {
    const { mark, newest } = await settlementMark(tx, chainId)
    const all = await endedIntents(tx, chainId, SETTLE_PREFIX, mark, MOST_INTENTS + outcomes.size)
    const ended = all.filter(({ id, outcome }) => outcomes.get(id) !== outcome).slice(0, MOST_INTENTS)
    // Nothing closer is stored, and so need not be known.
    const resolved = newest - mark < MOST_INTENTS ? mark : await resolvedUpTo(tx, chainId, SETTLE_PREFIX, mark)
    const last = ended[MOST_INTENTS - 1]
    const upTo = last && last.id < resolved ? last.id : resolved
    const ids = ended.map(({ id }) => id)
    return { mark, upTo, ended, missed: ids.length === 0 ? [] : await missedExecutions(tx, chainId, ids) }
  })
}

/** The mark follows at a distance: what lies between is looked at once more by the next leadership, and not every round writes. */
async function storeNews({ sql, deployment: { chainId } }: Venue, { mark, upTo, missed }: News): Promise<void> {
  const isFarAhead = upTo - mark >= MOST_INTENTS
  if (missed.length === 0 && !isFarAhead) return
  await inTransaction(sql, async (tx) => {
    if (missed.length > 0) {
      await reopenExecutions(
        tx,
        chainId,
        missed.map(({ executionId }) => executionId),
      )
    }
    if (isFarAhead) await moveSettlementMark(tx, chainId, upTo)
  })
}

function letWait(missed: readonly MissedExecution[], memory: SettlementMemory, nowMs: number): void {
  const [first] = missed
  const revert = stockReverts.decode(first?.revertData ?? null)
  if (first && revert && (GENERAL.has(revert.name) || OF_MARKET_ORDERS.has(revert.name))) {
    const waiting = GENERAL.has(revert.name) ? memory.tokens : memory.marketOrders
    waiting.fail(tokenOfKey(first.orderingKey), nowMs)
    return
  }
  const blamed =
    revert && NAMES_AN_ORDER.has(revert.name) ? [String(revert.args[0])] : missed.map(({ orderId }) => orderId)
  for (const orderId of new Set(blamed)) memory.orders.fail(orderId, nowMs)
}
