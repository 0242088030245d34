import { Client } from '../server/e2e/client.ts'
import { createPool, type Sql } from '../server/src/db/pool.ts'
import { type BenchKey, issueKeys } from './api-keys.ts'
import { startChild } from './http/child.ts'
import type { VenueServer } from './http/server-process.ts'
import { indexedVenue } from './http/venue-rows.ts'
import { loadTables } from './load-tables.ts'
import { insertOperations, STOCK_TABLES } from './order-rows.ts'
import {
  count,
  describeRun,
  printTable,
  readNumbers,
  round,
  roundSpread,
  type Spread,
  spreadOf,
  writeResults,
} from './report.ts'

const LIMIT = 100
const WARM_UP = 3
const depositsBeside = (orders: number): number => Math.ceil(orders / 10)

interface Measured {
  readonly list: string
  readonly page: number
  readonly ms: Spread
  /** Times of this list's first page, round by round. */
  readonly ofFirstPage: Spread
}

/** `npm run bench -- order-list`: the first and the last page of a key's orders, and of its deposits, over HTTP. */
export async function benchOrderList(args: readonly string[]): Promise<void> {
  const { orders, rounds } = readNumbers(args, { orders: 1_000_000, rounds: 20 })
  const run = describeRun()
  console.log('Starting a venue, so that there are tables to fill …')
  const rows = await indexedVenue()
  const sql = createPool({ url: rows.server.databaseUrl, maxConnections: 1, applicationName: 'bench' })
  const server = startChild('server-process.ts', null)
  try {
    console.log(`Storing ${count(orders)} orders and ${count(depositsBeside(orders))} deposits of one key …`)
    const key = await fillTables(sql, rows.server, rows.key.userAddress, orders)
    const { port } = await server.ask<{ port: number }>({ start: rows.server })
    const client = clientOf(rows.server, key, port)
    const results = [
      ...(await measureList(client, 'orders', orders, rounds)),
      ...(await measureList(client, 'cash/deposits', depositsBeside(orders), rounds)),
    ]
    print(results, orders)
    await writeResults('order-list', { ...run, settings: { orders, rounds, limit: LIMIT }, results })
  } finally {
    await server.stop()
    await sql.end()
    await rows.close()
  }
}

async function fillTables(sql: Sql, server: VenueServer, userAddress: string, orders: number): Promise<BenchKey> {
  const [key] = await issueKeys(sql, server, [userAddress])
  if (!key) throw new Error('no key was issued')
  const { chainId, contracts } = server.deployment
  const owner = { chainId, apiKeyId: key.apiKey, userAddress: userAddress.toLowerCase() }
  await loadTables(sql, STOCK_TABLES, async () => {
    await insertOperations(sql, { ...owner, token: contracts.aAAPL ?? '' }, 'trade', orders)
    await insertOperations(sql, { ...owner, token: contracts.USDC ?? '' }, 'deposit', depositsBeside(orders))
  })
  return key
}

const clientOf = ({ deployment, productType, prefix }: VenueServer, key: BenchKey, port: number): Client =>
  new Client({ baseUrls: [`http://127.0.0.1:${port}${prefix}`], chainId: deployment.chainId, productType, key })

async function measureList(client: Client, list: string, total: number, rounds: number): Promise<Measured[]> {
  const pages = [...new Set([1, Math.ceil(total / LIMIT / 2), Math.ceil(total / LIMIT)])]
  const ask = async (page: number) => {
    const startedMs = performance.now()
    const answer = await client.data(client.get<ListPage>(`/api/v1/${list}?limit=${LIMIT}&page=${page}`))
    return { ms: performance.now() - startedMs, answer }
  }
  for (const page of pages) for (let i = 0; i < WARM_UP; i++) check(list, page, total, (await ask(page)).answer)
  const times = pages.map((): number[] => [])
  for (let i = 0; i < rounds; i++) for (const [at, page] of pages.entries()) times[at]?.push((await ask(page)).ms)
  return pages.map((page, at) => {
    const own = times[at] ?? []
    const ratios = own.map((ms, i) => ms / (times[0]?.[i] ?? ms))
    return { list, page, ms: roundSpread(spreadOf(own), 1), ofFirstPage: roundSpread(spreadOf(ratios), 2) }
  })
}

interface ListPage {
  readonly total: number
  readonly rows: readonly { readonly mapping: { readonly createdAt: number; readonly status: string } }[]
}

/** A fast answer that is wrong is no answer: every order is there, newest first, and each has been found on the chain. */
function check(list: string, page: number, total: number, answer: ListPage): void {
  const expected = Math.min(LIMIT, total - (page - 1) * LIMIT)
  const times = answer.rows.map(({ mapping }) => mapping.createdAt)
  const isInOrder = times.every((time, i) => i === 0 || time <= (times[i - 1] ?? time))
  const areConfirmed = answer.rows.every(({ mapping }) => mapping.status === 'confirmed')
  if (answer.total === total && answer.rows.length === expected && isInOrder && areConfirmed) return
  throw new Error(`page ${page} of ${list} is wrong: ${JSON.stringify(answer).slice(0, 500)}`)
}

function print(results: readonly Measured[], orders: number): void {
  console.log(
    `\n${count(orders)} orders and ${count(depositsBeside(orders))} deposits of one key; ${LIMIT} rows a page, over HTTP\n`,
  )
  printTable([
    ['', 'median ms', 'best', 'worst', 'of page 1'],
    ...results.map(({ list, page, ms, ofFirstPage }) => [
      `${list}, page ${count(page)}`,
      ...[ms.median, ms.min, ms.max].map((value) => String(round(value, 1))),
      ofFirstPage.median.toFixed(2),
    ]),
  ])
}
