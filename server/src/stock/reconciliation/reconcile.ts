import type { BlockRef } from '../../chain/follow/store.ts'
import { OtherBlockError } from '../../chain/on-block.ts'
import type { Hex } from '../../chain/types.ts'
import { inSnapshot, type Tx } from '../../db/pool.ts'
import type { Venue } from '../../http/product.ts'
import type { Market } from '../../market/tasks.ts'
import type { Comparisons } from '../../reconciliation/cycle.ts'
import type { Line } from '../../reconciliation/lines.ts'
import { nextTurn } from '../../reconciliation/turn.ts'
import { readBroker } from './broker-figures.ts'
import { type CashFlow, followFlows } from './cash-flow.ts'
import { cashFlows, writeCashFlows } from './cash-flow-store.ts'
import { type ChainFigures, readChain } from './chain-figures.ts'
import { compareCash } from './compare-cash.ts'
import { compareOrders } from './compare-orders.ts'
import { compareStocks } from './compare-stocks.ts'
import { compareUsers, usersThatDiffer } from './compare-users.ts'
import { type DatabaseFigures, FIRST_WINDOW, readDatabase, USERS, type Window } from './database-figures.ts'
import { RECONCILED } from './lines.ts'

/** Broker, database and chain side by side: what the stocks are compared by. */
export const stockComparisons = (market: Pick<Market, 'broker' | 'clock'>): Comparisons<Window> => ({
  product: RECONCILED,
  start: FIRST_WINDOW,
  async read(venue, window) {
    const reading = await takeReading(venue, market, window)
    if (reading === null) return null
    const { database, lines, next, isRoundOver, flows } = reading
    const keep = (tx: Tx) => writeCashFlows(tx, venue.deployment.chainId, flows)
    return { block: database.block, lines, next, isRoundOver, keep }
  },
})

interface FreshReading {
  readonly database: DatabaseFigures
  readonly lines: readonly Line[]
  readonly next: Window
  readonly isRoundOver: boolean
  readonly flows: readonly CashFlow[]
}

/**
 * One reading that is stored nowhere. The database is read first, in one snapshot; the chain at the block up to which that
 * snapshot was indexed; the broker last, with all that it has executed since. Null before the first block is indexed, and
 * when the block was reorganised away.
 */
export async function takeReading(
  venue: Venue,
  { broker, clock }: Pick<Market, 'broker' | 'clock'>,
  window: Window,
): Promise<FreshReading | null> {
  const { sql, deployment } = venue
  const { chainId } = deployment
  const marketMs = clock.nowMs()
  const database = await inSnapshot(sql, (tx) => readDatabase(tx, chainId, broker.name, window))
  if (database === null) return null
  const account = await readBroker(sql, broker, database)
  const known = await flowsUpTo(venue, database.block)
  const chain = known && (await readChain(venue, database))
  if (!known || !chain) return null
  const moment = { marketMs, quantityDecimals: broker.precision.quantityDecimals }
  const lines = [
    ...compareStocks(database, account, chain, moment),
    ...compareCash(database, chain, known),
    ...compareOrders(database, account, chain),
    ...compareUsers(database, chain),
  ]
  const flows = nextFlows(database, chain, known)
  return { database, lines, flows, ...nextWindow(window, database, usersThatDiffer(database, chain)) }
}

/** The flows up to a block; null where the node has it no more, or not yet. */
async function flowsUpTo(venue: Venue, block: BlockRef): Promise<ReadonlyMap<string, CashFlow> | null> {
  const { sql, deployment } = venue
  try {
    return await followFlows(venue, await cashFlows(sql, deployment.chainId), block)
  } catch (error) {
    if (error instanceof OtherBlockError) return null
    throw error
  }
}

/** Every open order is one of a user's: a round is over once all users were looked at. */
function nextWindow(
  { users, afterOrder }: Window,
  { turn: part, nextOrder }: DatabaseFigures,
  differing: readonly Hex[],
): { readonly next: Window; readonly isRoundOver: boolean } {
  const { turn, isRoundOver, isWaiting } = nextTurn(users, { part, size: USERS, differing })
  return { next: { users: turn, afterOrder: isWaiting ? afterOrder : nextOrder }, isRoundOver }
}

/**
 * Baseline from which the next reading measures the Cashier's balances. What the operator put in may grow at any time; it never falls
 * by itself: a balance that did is missed until it is back.
 */
function nextFlows(
  { cashTokens, block }: DatabaseFigures,
  chain: ChainFigures,
  known: ReadonlyMap<string, CashFlow>,
): readonly CashFlow[] {
  return cashTokens.map(({ token, movedRaw }) => {
    const flow = known.get(token)
    const { settledRaw, collectedRaw } = flow ?? { settledRaw: 0n, collectedRaw: 0n }
    const operatorRaw = (chain.cashTokens.get(token)?.heldRaw ?? 0n) - movedRaw + settledRaw + collectedRaw
    const isLess = flow !== undefined && operatorRaw < flow.operatorRaw
    return { token, block, settledRaw, collectedRaw, operatorRaw: isLess ? flow.operatorRaw : operatorRaw }
  })
}
