import type { EventModule } from '../server/src/chain/follow/event-module.ts'
import { chainProfile } from '../server/src/chain/profiles.ts'
import type { Deployment } from '../server/src/chain/types.ts'
import { migrate } from '../server/src/db/migrate.ts'
import { createPool, type Sql } from '../server/src/db/pool.ts'
import { type Floor, floorOf } from './index-floor.ts'
import { type LiveVenue, liveVenue } from './live-venue.ts'
import { PerpTraders } from './perp-traders.ts'
import {
  count,
  describeRun,
  printTable,
  readNumbers,
  roundSpread,
  type Spread,
  spreadOf,
  writeResults,
} from './report.ts'
import { followUntil, modules, type RestingVenue, restingVenue } from './resting-venue.ts'
import { compareRows } from './same-rows.ts'
import { Sender, sendAll } from './sender.ts'
import { untilSettled } from './settle.ts'
import { StockBuyers } from './stock-buyers.ts'
import { untilIndexed } from './until-indexed.ts'

const DEPOSIT_RAW = 300_000n * 10n ** 6n
/** As many as the venue opens. */
const CONNECTIONS = 20
/**
 * What Ponder does of one table's rows, one an event, from the same kind of node (200,000 ERC-20 transfers, its cache cold), measured on
 * another run of this kind of machine; the aim is five times as many.
 */
const PONDER_PER_SEC = 10_900
const AIM_OF_PONDER = 5

const tables = modules.flatMap((module) => [...module.tables])

interface Indexed {
  /** By module. */
  readonly events: Readonly<Record<string, number>>
  readonly elapsedMs: number
}

interface Anew extends Indexed {
  /** By table. */
  readonly rows: Readonly<Record<string, number>>
}

/** `npm run bench -- index`: the chain of a venue that traded, indexed anew, and its rows beside those of the live run. */
export async function benchIndex(args: readonly string[]): Promise<void> {
  const settings = readNumbers(args, { transactions: 20_000, rounds: 3 })
  const run = describeRun()
  console.log(`Recording ${count(settings.transactions)} transactions of both products …`)
  const venue = await liveVenue()
  try {
    await record(venue, settings.transactions)
    const results = await measure(venue, settings.rounds)
    print(results)
    await writeResults('index', { ...run, settings, results })
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

async function measure(venue: LiveVenue, rounds: number) {
  const { deployment } = venue
  const live = await restingVenue(venue)
  try {
    // History is what is final.
    const { finality } = chainProfile(deployment.chainId)
    if (finality.by === 'depth') await live.rpc.call('anvil_mine', [`0x${(finality.blocks + 1).toString(16)}`])
    const indexed: Anew[] = []
    for (let round = 1; round <= rounds; round++) {
      process.stdout.write(`\rRound ${round} of ${rounds} …`)
      indexed.push(await indexAnew(live, deployment))
    }
    return resultsOf(indexed, Number(live.head), await floorOf(live.rpc, live.head, live.sql, tables))
  } finally {
    await live.close()
  }
}

/** Into an empty database; throws unless it then holds what the live run wrote. */
async function indexAnew(live: RestingVenue, deployment: Deployment): Promise<Anew> {
  const url = new URL(live.databaseUrl)
  url.pathname = '/indexed_anew'
  await live.sql`drop database if exists indexed_anew`
  await live.sql`create database indexed_anew`
  await migrate(url.href)
  const sql = createPool({ url: url.href, maxConnections: CONNECTIONS, applicationName: 'bench' })
  try {
    const indexed = await index(sql, live, deployment)
    return { ...indexed, rows: await compareRows(live.sql, sql, tables) }
  } finally {
    await sql.end()
  }
}

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
  const startedMs = performance.now()
  let elapsedMs = 0
  await followUntil({ rpc, sql, deployment }, counted, async () => {
    await untilIndexed(rpc, sql, head)
    elapsedMs = performance.now() - startedMs
    await untilIndexed(rpc, sql)
  })
  return { events, elapsedMs }
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, one) => total + one, 0)

interface Results {
  readonly blocks: number
  readonly events: Readonly<Record<string, number>>
  readonly rows: Readonly<Record<string, number>>
  readonly eventsPerSec: Spread
  /** Of Ponder's figure. */
  readonly ofPonder: number
  readonly aimOfPonder: number
  /** How many events a second the node and the database would allow if each had nothing else to do, and the machine neither. */
  readonly floor: { readonly nodeEventsPerSec: number; readonly databaseEventsPerSec: number }
}

function resultsOf(indexed: readonly Anew[], blocks: number, { nodeMs, databaseMs }: Floor): Results {
  const eventsPerSec = roundSpread(
    spreadOf(indexed.map(({ events, elapsedMs }) => (sum(events) / elapsedMs) * 1000)),
    0,
  )
  const [first] = indexed
  if (!first) throw new Error('nothing was measured')
  const ofPonder = Number((eventsPerSec.median / PONDER_PER_SEC).toFixed(2))
  const within = (ms: number) => Math.round((sum(first.events) / ms) * 1000)
  const floor = { nodeEventsPerSec: within(nodeMs), databaseEventsPerSec: within(databaseMs) }
  return { blocks, events: first.events, rows: first.rows, eventsPerSec, ofPonder, aimOfPonder: AIM_OF_PONDER, floor }
}

function print({ blocks, events, rows, eventsPerSec, ofPonder, floor }: Results): void {
  console.log(
    `\n\n${count(sum(events))} events in ${count(blocks)} blocks, ${count(sum(rows))} rows as the live run wrote them\n`,
  )
  printTable([['events of', ''], ...Object.entries(events).map(([module, number]) => [module, count(number)])])
  const { median, min, max } = eventsPerSec
  console.log(`\n${count(median)} events a second (${count(min)} to ${count(max)})`)
  console.log(
    `${ofPonder} of Ponder's ${count(PONDER_PER_SEC)}; aim ${AIM_OF_PONDER}, ${ofPonder >= AIM_OF_PONDER ? 'met' : 'missed'}`,
  )
  const [node, database] = [floor.nodeEventsPerSec, floor.databaseEventsPerSec].map(count)
  console.log(
    `The node alone serves the blocks and logs of ${node} a second, the database alone copies the rows of ${database}`,
  )
}
