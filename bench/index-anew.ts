import { chainProfile } from '../server/src/chain/profiles.ts'
import type { Rpc } from '../server/src/chain/rpc.ts'
import { migrate } from '../server/src/db/migrate.ts'
import { createPool, type Sql } from '../server/src/db/pool.ts'
import { withDatabase } from '../server/src/db/testing-template.ts'
import { processorTime, processorTimeOf } from './processor-time.ts'
import { count, printTable, round, roundSpread, type Spread, spreadOf } from './report.ts'

/** As many as the venue opens. */
const CONNECTIONS = 20
/** As many times the events that Ponder makes of the same chain in the same run. */
const AIM_OF_PONDER = 5

const PARTS = ['chainNode', 'database', 'indexer'] as const
type ByPart = Readonly<Record<(typeof PARTS)[number], number>>

/** What indexing took: by the clock, and of the processors. */
export interface Cost {
  readonly elapsedMs: number
  readonly processorMs: ByPart
}

/** Call what it returns for what was taken since. The indexer is this process unless another is named. */
export function costFromNow(indexer = process.pid): () => Cost {
  const indexerMs = indexer === process.pid ? ownProcessorTime : () => processorTimeOf(indexer)
  const [startedMs, others, own] = [performance.now(), processorTime(), indexerMs()]
  return () => {
    const elapsedMs = performance.now() - startedMs
    const now = processorTime()
    const chainNode = now.chainNode - others.chainNode
    const database = now.database - others.database
    return { elapsedMs, processorMs: { chainNode, database, indexer: indexerMs() - own } }
  }
}

/** Finer than the ticks in which Linux tells it of another process. */
function ownProcessorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** How fast events came; medians of rounds. */
export interface Rate {
  readonly eventsPerSec: Spread
  /** Microseconds of processor time for each event: what other work on the machine disturbs least. */
  readonly processorUs: ByPart
}

/** The follower's beside Ponder's on the same chain, in the same run. */
export interface Compared extends Rate {
  readonly ponder: Rate
  readonly ofPonder: number
  readonly aimOfPonder: number
}

export function rateOf(events: number, rounds: readonly Cost[]): Rate {
  const eventsPerSec = roundSpread(spreadOf(rounds.map(({ elapsedMs }) => (events / elapsedMs) * 1000)), 0)
  const usOf = (part: keyof ByPart) =>
    round(spreadOf(rounds.map(({ processorMs }) => (processorMs[part] / events) * 1000)).median, 1)
  return {
    eventsPerSec,
    processorUs: { chainNode: usOf('chainNode'), database: usOf('database'), indexer: usOf('indexer') },
  }
}

export const compared = (follower: Rate, ponder: Rate): Compared => ({
  ...follower,
  ponder,
  ofPonder: round(follower.eventsPerSec.median / ponder.eventsPerSec.median, 2),
  aimOfPonder: AIM_OF_PONDER,
})

export function printCompared({ ponder, ofPonder, aimOfPonder, ...follower }: Compared): void {
  const shown = ({ median, min, max }: Spread) => `${count(median)} (${count(min)} to ${count(max)})`
  printTable([
    ['', 'follower', 'Ponder'],
    ['events a second', shown(follower.eventsPerSec), shown(ponder.eventsPerSec)],
    ...PARTS.map((part) => [
      `µs of ${part} an event`,
      String(follower.processorUs[part]),
      String(ponder.processorUs[part]),
    ]),
  ])
  console.log(`\n${ofPonder} of Ponder; aim ${aimOfPonder}, ${ofPonder >= aimOfPonder ? 'met' : 'missed'}`)
}

/** Has a node that mines on command make so many blocks that all before them are history that is final. */
export async function makeFinal(rpc: Rpc, chainId: number): Promise<void> {
  const { finality } = chainProfile(chainId)
  if (finality.by === 'depth') await rpc.call('anvil_mine', [`0x${(finality.blocks + 1).toString(16)}`])
}

/** Gives `work` a migrated database without rows of a cluster's, which every call makes anew. */
export async function inEmptyDatabase<T>(clusterUrl: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const url = await emptyDatabase(clusterUrl, 'indexed_anew')
  await migrate(url)
  return inPool(url, work)
}

/** The URL of a database of a cluster's in which there is nothing. */
export async function emptyDatabase(clusterUrl: string, name: string): Promise<string> {
  await inPool(clusterUrl, async (sql) => {
    await sql`drop database if exists ${sql(name)}`
    await sql`create database ${sql(name)}`
  })
  return withDatabase(clusterUrl, name)
}

export async function inPool<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = createPool({ url, maxConnections: CONNECTIONS, applicationName: 'bench' })
  try {
    return await work(sql)
  } finally {
    await sql.end()
  }
}
