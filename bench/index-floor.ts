import { toHex } from '../server/src/chain/follow/fetch.ts'
import type { Rpc, RpcCall } from '../server/src/chain/rpc.ts'
import type { Sql } from '../server/src/db/pool.ts'
import { chunks } from '../server/src/lib/chunks.ts'

/** As the follower asks. */
const BLOCKS_PER_REQUEST = 25
const LOGS_PER_REQUEST = 10
const TIMEOUT_MS = 120_000

/** What no indexer on this node and this database goes below, each alone on the machine. */
export interface Floor {
  /** The node's answers with every block and every log, of which nothing is made. */
  readonly nodeMs: number
  /** The rows, copied within the database by one statement a table into tables of the same indexes without triggers. */
  readonly databaseMs: number
}

export const floorOf = async (rpc: Rpc, head: bigint, sql: Sql, tables: readonly string[]): Promise<Floor> => ({
  nodeMs: await timed(() => readChain(rpc, head)),
  databaseMs: await copyRows(sql, tables),
})

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

async function readChain(rpc: Rpc, head: bigint): Promise<void> {
  const numbers = Array.from({ length: Number(head) }, (_, index) => toHex(BigInt(index + 1)))
  const ask = (size: number, callOf: (number: string) => RpcCall) =>
    chunks(numbers, size).map(async (part) => void (await rpc.batch(part.map(callOf), { timeoutMs: TIMEOUT_MS })))
  await Promise.all([
    ...ask(BLOCKS_PER_REQUEST, (number) => ({ method: 'eth_getBlockByNumber', params: [number, true] })),
    ...ask(LOGS_PER_REQUEST, (number) => ({ method: 'eth_getLogs', params: [{ fromBlock: number, toBlock: number }] })),
  ])
}

const SCHEMA = 'floor'

async function copyRows(sql: Sql, tables: readonly string[]): Promise<number> {
  let elapsedMs = 0
  await sql`create schema ${sql(SCHEMA)}`
  try {
    for (const table of new Set(tables)) {
      const copy = sql([SCHEMA, table].join('.'))
      await sql`create table ${copy} (like ${sql(table)} including all)`
      const columns = sql(await writableColumns(sql, table))
      elapsedMs += await timed(
        () => sql`insert into ${copy} (${columns}) overriding system value select ${columns} from ${sql(table)}`,
      )
    }
  } finally {
    await sql`drop schema ${sql(SCHEMA)} cascade`
  }
  return elapsedMs
}

async function writableColumns(sql: Sql, table: string): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select column_name as name from information_schema.columns
    where table_schema = 'public' and table_name = ${table} and is_generated = 'NEVER'`
  return rows.map(({ name }) => name)
}
