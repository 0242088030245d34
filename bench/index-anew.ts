import { chainProfile } from '../server/src/chain/profiles.ts'
import type { Rpc } from '../server/src/chain/rpc.ts'
import { migrate } from '../server/src/db/migrate.ts'
import { createPool, type Sql } from '../server/src/db/pool.ts'
import { processorTime } from './processor-time.ts'
import { count, printTable, round, roundSpread, type Spread, spreadOf } from './report.ts'

/** As many as the venue opens. */
const CONNECTIONS = 20
/**
 * Events a second that Ponder 0.16.6 makes of 200,000 ERC-20 transfers from the same kind of node, one row an event, its cache cold: measured
 * on another run of this kind of machine. The aim is five times as many.
 */
const PONDER_PER_SEC = 10_900
const AIM_OF_PONDER = 5

const PARTS = ['chainNode', 'database', 'indexer'] as const
type ByPart = Readonly<Record<(typeof PARTS)[number], number>>

/** What indexing took: by the clock, and of the processors. */
export interface Cost {
  readonly elapsedMs: number
  readonly processorMs: ByPart
}

/** Call what it returns for what was taken since. The indexer is this process. */
export function costFromNow(): () => Cost {
  const [startedMs, others, own] = [performance.now(), processorTime(), process.cpuUsage()]
  return () => {
    const elapsedMs = performance.now() - startedMs
    const now = processorTime()
    const { user, system } = process.cpuUsage(own)
    const chainNode = now.chainNode - others.chainNode
    const database = now.database - others.database
    return { elapsedMs, processorMs: { chainNode, database, indexer: (user + system) / 1000 } }
  }
}

/** How fast events came, beside Ponder's figure; medians of rounds. */
export interface Rate {
  readonly eventsPerSec: Spread
  /** Of Ponder's figure. */
  readonly ofPonder: number
  readonly aimOfPonder: number
  /** Microseconds of processor time for each event: what other work on the machine disturbs least. */
  readonly processorUs: ByPart
}

export function rateOf(events: number, rounds: readonly Cost[]): Rate {
  const eventsPerSec = roundSpread(spreadOf(rounds.map(({ elapsedMs }) => (events / elapsedMs) * 1000)), 0)
  const usOf = (part: keyof ByPart) =>
    round(spreadOf(rounds.map(({ processorMs }) => (processorMs[part] / events) * 1000)).median, 1)
  return {
    eventsPerSec,
    ofPonder: round(eventsPerSec.median / PONDER_PER_SEC, 2),
    aimOfPonder: AIM_OF_PONDER,
    processorUs: { chainNode: usOf('chainNode'), database: usOf('database'), indexer: usOf('indexer') },
  }
}

export function printRate({ eventsPerSec, ofPonder, aimOfPonder, processorUs }: Rate): void {
  const { median, min, max } = eventsPerSec
  console.log(`${count(median)} events a second (${count(min)} to ${count(max)})`)
  console.log(
    `${ofPonder} of Ponder's ${count(PONDER_PER_SEC)}; aim ${aimOfPonder}, ${ofPonder >= aimOfPonder ? 'met' : 'missed'}\n`,
  )
  printTable([['processor time of an event', 'µs'], ...PARTS.map((part) => [part, String(processorUs[part])])])
}

/** Has a node that mines on command make so many blocks that all before them are history that is final. */
export async function makeFinal(rpc: Rpc, chainId: number): Promise<void> {
  const { finality } = chainProfile(chainId)
  if (finality.by === 'depth') await rpc.call('anvil_mine', [`0x${(finality.blocks + 1).toString(16)}`])
}

/** Gives `work` a migrated database without rows of a cluster's, which every call makes anew. */
export async function inEmptyDatabase<T>(clusterUrl: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const url = new URL(clusterUrl)
  url.pathname = '/indexed_anew'
  await inPool(clusterUrl, async (sql) => {
    await sql`drop database if exists indexed_anew`
    await sql`create database indexed_anew`
  })
  await migrate(url.href)
  return inPool(url.href, work)
}

async function inPool<T>(url: string, work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = createPool({ url, maxConnections: CONNECTIONS, applicationName: 'bench' })
  try {
    return await work(sql)
  } finally {
    await sql.end()
  }
}
