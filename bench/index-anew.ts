import { chainProfile } from '../server/src/chain/profiles.ts'
import type { Rpc } from '../server/src/chain/rpc.ts'
import { migrate } from '../server/src/db/migrate.ts'
import { createPool, type Sql } from '../server/src/db/pool.ts'
import { count, round, type Spread } from './report.ts'

/** As many as the venue opens. */
const CONNECTIONS = 20
/**
 * Events a second that Ponder 0.16.6 makes of 200,000 ERC-20 transfers from the same kind of node, one row an event, its cache cold: measured
 * on another run of this kind of machine. The aim is five times as many.
 */
const PONDER_PER_SEC = 10_900
export const AIM_OF_PONDER = 5

export const ofPonder = ({ median }: Spread): number => round(median / PONDER_PER_SEC, 2)

export function printRate(eventsPerSec: Spread): void {
  const { median, min, max } = eventsPerSec
  const ratio = ofPonder(eventsPerSec)
  console.log(`${count(median)} events a second (${count(min)} to ${count(max)})`)
  console.log(
    `${ratio} of Ponder's ${count(PONDER_PER_SEC)}; aim ${AIM_OF_PONDER}, ${ratio >= AIM_OF_PONDER ? 'met' : 'missed'}`,
  )
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
