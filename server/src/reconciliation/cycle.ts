import type { BlockRef } from '../chain/follow/store.ts'
import { inTransaction, type Tx } from '../db/pool.ts'
import type { Task, Venue } from '../http/product.ts'
import type { Line } from './lines.ts'
import { insertReading, latestReading, reconcileTaskName, type StoredLine } from './reading-store.ts'
import { isLasting, LASTING_READINGS, sameLine } from './report.ts'
import { loadRound, type Round, saveRound } from './round-store.ts'

/** How often it is looked whether a reading is due. */
const LOOK_MS = 1000
const INTERVAL_MS = 10_000
/** A reading that takes long comes less often, so that it takes this part of the keeper's time; but once a minute. */
const SHARE = 20
const LONGEST_INTERVAL_MS = 60_000

/**
 * What a product compares. `Position` is where a reading goes on that looks at a part of its subjects each time, and which of them
 * are to be looked at again (turn.ts); it is kept as JSON.
 */
export interface Comparisons<Position = unknown> {
  readonly product: string
  readonly start: Position
  /**
   * Reads all sides and compares them; nothing is stored. Null when there is nothing to read yet, or when what was read does
   * not belong together: the next round reads anew. Throws when a side does not answer.
   */
  read(venue: Venue, from: Position): Promise<FreshReading<Position> | null>
}

export interface FreshReading<Position> {
  /** The block as of which chain and database were read. */
  readonly block: BlockRef
  readonly lines: readonly Line[]
  /** Where the next reading goes on. */
  readonly next: Position
  /** With this reading every subject has been looked at: the next one begins anew. */
  readonly isRoundOver: boolean
  /** Stores what the next reading is measured by, in the transaction that stores this one. */
  keep?(tx: Tx): Promise<void>
}

/** What the cycle remembers between readings; losing it costs a reading, no more. */
export interface CycleMemory {
  /** By `monotonicMs`: a wall clock that is set back would put the next reading off by as much. */
  dueMs: number
  readonly monotonicMs: () => number
}

export const cycleMemory = (monotonicMs = () => performance.now()): CycleMemory => ({ dueMs: 0, monotonicMs })

/** The keeper's task that takes a product's readings: there is one for each product that is on the chain. */
export function reconcileTask<Position>(comparisons: Comparisons<Position>, memory = cycleMemory()): Task {
  return {
    name: reconcileTaskName(comparisons.product),
    intervalMs: LOOK_MS,
    run: (venue) => reconcile(venue, comparisons, memory),
  }
}

/** Takes a reading when one is due, and stores it for all to see. Throws what `Comparisons.read` throws. */
export async function reconcile<Position>(
  venue: Venue,
  comparisons: Comparisons<Position>,
  memory: CycleMemory,
): Promise<void> {
  const startedMs = memory.monotonicMs()
  if (startedMs < memory.dueMs) return
  const { product, start } = comparisons
  const before = await loadRound<Position>(venue.sql, venue.deployment.chainId, product)
  const beganAt = before?.beganAt ?? new Date()
  const reading = await comparisons.read(venue, before?.next ?? start)
  if (reading === null) return
  const durationMs = Math.round(memory.monotonicMs() - startedMs)
  await store(venue, product, {
    reading,
    durationMs,
    round: roundAfter(reading, beganAt, before?.allReadSince ?? null),
  })
  memory.dueMs = startedMs + Math.max(INTERVAL_MS, Math.min(durationMs * SHARE, LONGEST_INTERVAL_MS))
}

const roundAfter = <Position>(
  { next, isRoundOver }: FreshReading<Position>,
  beganAt: Date,
  allReadSince: Date | null,
): Round<Position> => (isRoundOver ? { next, beganAt: null, allReadSince: beganAt } : { next, beganAt, allReadSince })

/** Stores a reading, with how long each of its differences has been there, and logs those that came to last. */
async function store<Position>(
  { sql, deployment, log }: Venue,
  product: string,
  taken: { readonly reading: FreshReading<Position>; readonly durationMs: number; readonly round: Round<Position> },
): Promise<void> {
  const { reading, durationMs, round } = taken
  const { chainId } = deployment
  const before = await latestReading(sql, chainId, product)
  const now = new Date()
  const lines = reading.lines.map((line) => follow(line, before?.lines.find((one) => sameLine(one, line)) ?? null, now))
  await inTransaction(sql, async (tx) => {
    await insertReading(tx, chainId, product, { block: reading.block, durationMs, lines })
    await saveRound(tx, chainId, product, round)
    await reading.keep?.(tx)
  })
  for (const line of lines.filter(isLasting)) {
    const { subject, comparison, cause, details, readingsInARow, unit } = line
    const difference = { product, subject, comparison, cause, difference: String(line.difference), unit, details }
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
