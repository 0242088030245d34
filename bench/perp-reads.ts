import { PerpClient } from '../server/e2e/perp-client.ts'
import type { Hex } from '../server/src/chain/types.ts'
import { createPool } from '../server/src/db/pool.ts'
import { perp } from '../server/src/perp/index.ts'
import { issueKeys } from './api-keys.ts'
import { startChild } from './http/child.ts'
import { type LiveVenue, liveVenue } from './live-venue.ts'
import { fillPerpTables, type PerpOwner } from './perp-rows.ts'
import { PerpTraders } from './perp-traders.ts'
import { count, describeRun, printTable, readNumbers, round, spreadOf, writeResults } from './report.ts'
import { type RestingVenue, restingVenue } from './resting-venue.ts'
import { Sender, sendAll } from './sender.ts'
import { untilIndexed } from './until-indexed.ts'

const SMALLEST = 1000
const TRANSACTIONS = 100
const PAGE = 50
const CANDLES = 100
/** Until the server's code is compiled; after that for each size, so that the new rows are in the caches. */
const [FIRST_WARM_UP, WARM_UP] = [300, 10]
/** The wallet of the lists; it does nothing on the chain. */
const LIST_WALLET: Hex = `0x${'11'.repeat(20)}`
const SYMBOL = 'BTC/USDC'

interface Read {
  readonly name: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** Asked with the key of the wallet that holds positions; else of that with the lists. */
  readonly asHolder?: boolean
  /** Whether an answer is right. */
  isRight(data: unknown): boolean
}

interface Measured {
  readonly read: string
  /** Median milliseconds by rows. */
  readonly ms: Readonly<Record<string, number>>
  /** Time at the largest tables, as a multiple of that at the smallest. */
  readonly largestOfSmallest: number
}

/** `npm run bench -- perp-reads`: the perpetual API's reads over tables of a thousand rows to a million. */
export async function benchPerpReads(args: readonly string[]): Promise<void> {
  const { most, rounds } = readNumbers(args, { most: 1_000_000, rounds: 50 })
  const run = describeRun()
  console.log('Starting a venue, so that there are tables to fill …')
  const venue = await liveVenue()
  try {
    await trade(venue)
    const results = await measure(venue, most, rounds)
    print(results)
    await writeResults('perp-reads', { ...run, settings: { most, rounds }, results })
  } finally {
    await venue.close()
  }
}

/** A few positions and orders of the accounts. */
async function trade({ rpc, dev, sql }: LiveVenue): Promise<void> {
  const senders = dev.accounts.map(({ address }) => new Sender(rpc, address))
  const traders = await PerpTraders.open(rpc, dev, senders)
  await sendAll(senders, TRANSACTIONS, () => traders.act())
  await untilIndexed(rpc, sql)
}

async function measure(venue: LiveVenue, most: number, rounds: number): Promise<readonly Measured[]> {
  const resting = await restingVenue(venue)
  const sql = createPool({ url: resting.databaseUrl, maxConnections: 1, applicationName: 'bench' })
  const server = startChild('server-process.ts', null)
  try {
    const owner = await ownerOf(venue, resting)
    const holder = await holderOf(resting)
    const keys = await issueKeys(sql, { ...resting.server, productType: perp.keyScope({}) }, [LIST_WALLET, holder])
    const { port } = await server.ask<{ port: number }>({ start: resting.server })
    const [lists, positions] = keys.map((key) => new PerpClient(`http://127.0.0.1:${port}`, owner.chainId, key))
    if (!lists || !positions) throw new Error('no key was issued')
    const times = new Map<string, Record<string, number>>()
    for (let total = SMALLEST; total <= most; total *= 10) {
      console.log(`${count(total)} rows in each table …`)
      await fillPerpTables(sql, owner, total)
      for (const read of readsOf(owner, total)) {
        const ms = await medianOf(read.asHolder ? positions : lists, read, {
          rounds,
          warmUp: total === SMALLEST ? FIRST_WARM_UP : WARM_UP,
        })
        times.set(read.name, { ...times.get(read.name), [total]: round(ms, 2) })
      }
    }
    return [...times].map(([read, ms]) => {
      const [first = 1] = Object.values(ms)
      return { read, ms, largestOfSmallest: round((Object.values(ms).at(-1) ?? first) / first, 2) }
    })
  } finally {
    await server.stop()
    await sql.end()
    await resting.close()
  }
}

async function ownerOf({ dev }: LiveVenue, { sql }: RestingVenue): Promise<PerpOwner> {
  const pair = dev.perp.instruments.find(({ symbol }) => symbol === SYMBOL)
  const [block] = await sql<{ sec: number }[]>`
    select timestamp_sec::float8 as sec from blocks order by number desc limit 1`
  if (!pair || !block) throw new Error(`there is no ${SYMBOL}`)
  return {
    chainId: dev.chain.chainId,
    trader: LIST_WALLET,
    newestSec: block.sec,
    expiry: pair.expiry,
    instrument: pair.address.toLowerCase() as Hex,
    quote: (dev.contracts.USDC ?? '').toLowerCase() as Hex,
  }
}

/** The wallet with the most positions. */
async function holderOf({ sql }: RestingVenue): Promise<Hex> {
  const [row] = await sql<{ trader: Hex }[]>`
    select trader from perp_positions where size_wad <> 0 group by trader order by count(*) desc, trader limit 1`
  if (!row) throw new Error('nobody has a position')
  return row.trader
}

function readsOf({ newestSec }: PerpOwner, total: number): readonly Read[] {
  const oldest = newestSec - total * 60
  const page = (number: number) => ({ page: String(number), size: String(PAGE) })
  const paged = (name: string, path: string): readonly Read[] =>
    [['first', 1] as const, ['last', total / PAGE] as const].map(([which, number]) => ({
      name: `${name}, ${which} page`,
      path,
      query: page(number),
      isRight: (data) => isPage(data, total),
    }))
  const kline = (name: string, end: number): Read => ({
    name: `kline, ${name}`,
    path: 'market/kline',
    query: { symbol: SYMBOL, interval: '1m', limit: String(CANDLES), end: String(end) },
    isRight: (data) => (data as readonly unknown[]).length === CANDLES,
  })
  return [
    {
      name: 'orderBook',
      path: 'market/orderBook',
      query: { symbol: SYMBOL },
      isRight: (data) => '1' in (data as object),
    },
    { name: 'tickers', path: 'market/tickers', query: {}, isRight: isFilled },
    kline('newest', newestSec),
    kline('oldest', oldest + CANDLES * 60 + 60),
    { name: 'position/list', path: 'position/list', query: {}, asHolder: true, isRight: isFilled },
    { name: 'order/realtime', path: 'order/realtime', query: {}, isRight: (data) => (data as unknown[]).length === 0 },
    ...paged('execution/list', 'execution/list'),
    ...paged('order/history', 'order/history'),
    ...paged('deposit-withdraw', 'account/deposit-withdraw'),
  ]
}

const isFilled = (data: unknown): boolean => Array.isArray(data) && data.length > 0

function isPage(data: unknown, total: number): boolean {
  const { list, totalCount } = data as { readonly list: readonly unknown[]; readonly totalCount: number }
  return totalCount === total && list.length === PAGE
}

async function medianOf(
  client: PerpClient,
  { path, query, isRight, name }: Read,
  { rounds, warmUp }: { readonly rounds: number; readonly warmUp: number },
): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < warmUp + rounds; i++) {
    const startedMs = performance.now()
    const { body } = await client.get(path, query)
    const ms = performance.now() - startedMs
    // A fast answer that is wrong is no answer.
    if (body.code !== 0 || !isRight(body.data))
      throw new Error(`${name} is wrong: ${JSON.stringify(body).slice(0, 500)}`)
    if (i >= warmUp) times.push(ms)
  }
  return spreadOf(times).median
}

function print(results: readonly Measured[]): void {
  const sizes = Object.keys(results[0]?.ms ?? {})
  console.log('\nMedian milliseconds over HTTP by rows in each table\n')
  printTable([
    ['', ...sizes.map((size) => count(Number(size))), 'largest of smallest'],
    ...results.map(({ read, ms, largestOfSmallest }) => [
      read,
      ...sizes.map((size) => (ms[size] ?? 0).toFixed(1)),
      largestOfSmallest.toFixed(2),
    ]),
  ])
}
