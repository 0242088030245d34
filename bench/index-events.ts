import type { EventModule } from '../server/src/chain/follow/event-module.ts'
import type { Deployment } from '../server/src/chain/types.ts'
import type { Sql } from '../server/src/db/pool.ts'
import { type Compared, type Cost, costFromNow, inEmptyDatabase, makeFinal, printCompared } from './index-anew.ts'
import { type Floor, floorOf } from './index-floor.ts'
import { type BesidePonder, besidePonder, installPonder, type PonderChain } from './index-ponder.ts'
import { indexTransfers, printTransfers } from './index-transfers.ts'
import { type LiveVenue, liveVenue } from './live-venue.ts'
import { PerpTraders } from './perp-traders.ts'
import { count, describeRun, printTable, readNumbers, writeResults } from './report.ts'
import { followUntil, modules, type RestingVenue, restingVenue } from './resting-venue.ts'
import { compareRows } from './same-rows.ts'
import { Sender, sendAll } from './sender.ts'
import { untilSettled } from './settle.ts'
import { StockBuyers } from './stock-buyers.ts'
import { untilIndexed } from './until-indexed.ts'

const DEPOSIT_RAW = 300_000n * 10n ** 6n
const tables = modules.flatMap((module) => [...module.tables])

interface Indexed {
  /** By module. */
  readonly events: Readonly<Record<string, number>>
  readonly cost: Cost
}

interface Anew extends Indexed {
  /** By table. */
  readonly rows: Readonly<Record<string, number>>
}

/** `npm run bench -- index`: the follower on what Ponder was measured with, and on the chain of a venue that traded. */
export async function benchIndex(args: readonly string[]): Promise<void> {
  const settings = readNumbers(args, { transfers: 200_000, transactions: 20_000, rounds: 3 })
  installPonder()
  const run = describeRun()
  console.log(`Sending ${count(settings.transfers)} transfers of a token …`)
  const transfers = await indexTransfers(settings.transfers, settings.rounds)
  printTransfers(transfers)
  const products = await indexProducts(settings.transactions, settings.rounds)
  printProducts(products)
  await writeResults('index', { ...run, settings, results: { transfers, products } })
}

/** The chain of a venue that traded, indexed anew, and its rows beside those of the live run. */
async function indexProducts(transactions: number, rounds: number): Promise<ProductResults> {
  console.log(`\nRecording ${count(transactions)} transactions of both products …`)
  const venue = await liveVenue()
  try {
    await record(venue, transactions)
    return await measure(venue, rounds)
  } finally {
    await venue.close()
  }
}

/** Lets accounts trade on the venue at work: every second transaction buys a stock, which the keeper settles, the others are perpetuals'. */
async function record(venue: LiveVenue, transactions: number): Promise<void> {
  const { rpc, dev, sql } = venue
  const senders = dev.accounts.map(({ address }) => new Sender(rpc, address))
  const buyers = await StockBuyers.open(venue, senders, DEPOSIT_RAW)
  const traders = await PerpTraders.open(rpc, dev, senders)
  let sent = 0
  await sendAll(senders, transactions, () => (sent++ % 2 === 0 ? buyers.act() : traders.act()))
  await untilSettled(sql, Math.ceil(transactions / 2))
  await untilIndexed(rpc, sql)
}

async function measure(venue: LiveVenue, rounds: number): Promise<ProductResults> {
  const { deployment } = venue
  const live = await restingVenue(venue)
  try {
    await makeFinal(live.rpc, deployment.chainId)
    const measured = await besidePonder(
      rounds,
      live.databaseUrl,
      () => indexAnew(live, deployment),
      ({ events }) => ponderChain(live, deployment, sum(events)),
    )
    return resultsOf(measured, Number(live.head), await floorOf(live.rpc, live.head, live.sql, tables))
  } finally {
    await live.close()
  }
}

/** What the follower follows, those contracts with it that it finds only on the way. */
async function ponderChain(
  { sql, rpcUrl, head }: RestingVenue,
  deployment: Deployment,
  events: number,
): Promise<PonderChain> {
  const { chainId, startBlock } = deployment
  const found = modules.map(async ({ discovery }) => (await discovery?.known(sql, chainId)) ?? [])
  const sources = [modules.map((module) => module.sources(deployment)), await Promise.all(found)].flat(2)
  return { chainId, rpcUrl, startBlock, endBlock: head, sources, events }
}

/** Into an empty database; throws unless it then holds what the live run wrote. */
const indexAnew = (live: RestingVenue, deployment: Deployment): Promise<Anew> =>
  inEmptyDatabase(live.databaseUrl, async (sql) => {
    const { events, cost } = await index(sql, live, deployment)
    return { events, cost, rows: await compareRows(live.sql, sql, tables) }
  })

/** To the end of the node's chain; the time is that to the end of what was recorded. */
async function index(sql: Sql, { rpc, head }: RestingVenue, deployment: Deployment): Promise<Indexed> {
  const events: Record<string, number> = {}
  const counted = modules.map((module): EventModule => {
    const apply: EventModule['apply'] = async (tx, blocks) => {
      await module.apply(tx, blocks)
      events[module.name] = blocks.reduce((total, block) => total + block.events.length, events[module.name] ?? 0)
    }
    return { ...module, apply }
  })
  const costSoFar = costFromNow()
  let cost = costSoFar()
  await followUntil({ rpc, sql, deployment }, counted, async () => {
    await untilIndexed(rpc, sql, head)
    cost = costSoFar()
    await untilIndexed(rpc, sql)
  })
  return { events, cost }
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, one) => total + one, 0)

interface ProductResults {
  readonly blocks: number
  readonly events: Readonly<Record<string, number>>
  readonly rows: Readonly<Record<string, number>>
  readonly rate: Compared
  /** How many events a second the node and the database would allow if each had nothing else to do, and the machine neither. */
  readonly floor: { readonly nodeEventsPerSec: number; readonly databaseEventsPerSec: number }
}

function resultsOf(
  { followed, rate }: BesidePonder<Anew>,
  blocks: number,
  { nodeMs, databaseMs }: Floor,
): ProductResults {
  const [first] = followed
  if (!first) throw new Error('nothing was measured')
  const total = sum(first.events)
  const within = (ms: number) => Math.round((total / ms) * 1000)
  return {
    blocks,
    events: first.events,
    rows: first.rows,
    rate,
    floor: { nodeEventsPerSec: within(nodeMs), databaseEventsPerSec: within(databaseMs) },
  }
}

function printProducts({ blocks, events, rows, rate, floor }: ProductResults): void {
  console.log(
    `\n\n${count(sum(events))} events in ${count(blocks)} blocks, ${count(sum(rows))} rows as the live run wrote them\n`,
  )
  printTable([['events of', ''], ...Object.entries(events).map(([module, number]) => [module, count(number)])])
  console.log('')
  printCompared(rate)
  const [node, database] = [floor.nodeEventsPerSec, floor.databaseEventsPerSec].map(count)
  console.log(
    `\nThe node alone serves the blocks and logs of ${node} a second, the database alone copies the rows of ${database}`,
  )
}
