import { inTransaction } from '../../db/pool.ts'
import type { Venue } from '../../http/product.ts'
import type { Market } from '../../market/tasks.ts'
import { readBroker } from './broker-figures.ts'
import { type CashFlow, followFlows } from './cash-flow.ts'
import { type ChainFigures, readChain } from './chain-figures.ts'
import { compareCash, compareUsers } from './compare-cash.ts'
import { compareOrders } from './compare-orders.ts'
import { compareStocks } from './compare-stocks.ts'
import { type DatabaseFigures, readDatabase, type Window } from './database-figures.ts'
import type { Line } from './lines.ts'
import {
  cashFlows,
  insertReading,
  latestReading,
  readSnapshot,
  type StoredLine,
  writeCashFlows,
} from './reading-store.ts'
import { isLasting, LASTING_READINGS, sameLine } from './report.ts'

const INTERVAL_MS = 10_000
/** A reading that takes long comes less often, so that it takes this part of the keeper's time; but once a minute. */
const SHARE = 20
const LONGEST_INTERVAL_MS = 60_000

/** What the task remembers between readings; losing it costs a reading, no more. */
export interface ReconcileMemory {
  dueMs: number
  window: Window
}

export const reconcileMemory = (): ReconcileMemory => ({ dueMs: 0, window: { afterUser: '', afterOrder: '' } })

/**
 * Takes a reading when one is due: broker, database and chain side by side, stored for all to see. What does not belong
 * together (the block was reorganised away meanwhile) is thrown away, and the next round reads anew. Throws when the broker,
 * the node or the database does not answer.
 */
export async function reconcile(
  venue: Venue,
  market: Pick<Market, 'broker' | 'clock'>,
  memory: ReconcileMemory,
): Promise<void> {
  const startedMs = venue.clock.nowMs()
  if (startedMs < memory.dueMs) return
  const reading = await takeReading(venue, market, memory.window)
  if (reading === null) return
  const durationMs = Math.max(0, venue.clock.nowMs() - startedMs)
  await store(venue, reading, durationMs)
  memory.window = reading.database.next
  memory.dueMs = startedMs + Math.max(INTERVAL_MS, Math.min(durationMs * SHARE, LONGEST_INTERVAL_MS))
}

interface FreshReading {
  readonly database: DatabaseFigures
  readonly lines: readonly Line[]
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
  const database = await inTransaction(sql, async (tx) => {
    await readSnapshot(tx)
    return readDatabase(tx, chainId, broker.name, window)
  })
  if (database === null) return null
  const account = await readBroker(sql, broker, database)
  const known = await followFlows(venue, await cashFlows(sql, chainId), database.block)
  const chain = await readChain(venue, database)
  if (chain === null) return null
  const moment = { marketMs, quantityDecimals: broker.precision.quantityDecimals }
  const lines = [
    ...compareStocks(database, account, chain, moment),
    ...compareCash(database, chain, known),
    ...compareOrders(database, account, chain),
    ...compareUsers(database, chain),
  ]
  return { database, lines, flows: nextFlows(database, chain, known) }
}

/**
 * From what the next reading measures the Cashier's balances. What the operator put in may grow at any time; it never falls
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

/** Stores a reading, with how long each of its differences has been there, and logs those that came to last. */
async function store({ sql, deployment, log }: Venue, reading: FreshReading, durationMs: number): Promise<void> {
  const { chainId } = deployment
  const { block } = reading.database
  const before = await latestReading(sql, chainId)
  const now = new Date()
  const lines = reading.lines.map((line) => follow(line, before?.lines.find((one) => sameLine(one, line)) ?? null, now))
  await inTransaction(sql, async (tx) => {
    await insertReading(tx, chainId, { block, durationMs, lines })
    await writeCashFlows(tx, chainId, reading.flows)
  })
  for (const line of lines.filter(isLasting)) {
    const { subject, comparison, cause, details, readingsInARow } = line
    const difference = { subject, comparison, cause, difference: String(line.difference), unit: line.unit, details }
    if (readingsInARow === LASTING_READINGS)
      log.error(difference, 'broker, database and chain differ, and nothing explains it')
  }
}

/** A line with how long its difference has been there. */
function follow(line: Line, before: StoredLine | null, now: Date): StoredLine {
  if (line.difference === 0n) return { ...line, readingsInARow: 0, since: null }
  const goesOn = before !== null && before.difference !== 0n && before.difference > 0n === line.difference > 0n
  return {
    ...line,
    readingsInARow: goesOn ? before.readingsInARow + 1 : 1,
    since: goesOn ? before.since : now,
  }
}
