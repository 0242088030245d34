import { WebSocket } from 'ws'
import { VENUE_OPTIONS } from '../scripts/venue-options.mjs'
import { BLOCKS_CHANNEL } from '../server/src/chain/follow/store.ts'
import type { Rpc } from '../server/src/chain/rpc.ts'
import type { Hex } from '../server/src/chain/types.ts'
import { sleep } from '../server/src/lib/clock.ts'
import { perp } from '../server/src/perp/index.ts'
import { type BenchKey, issueKeys } from './api-keys.ts'
import { startChild } from './http/child.ts'
import { type LiveVenue, liveVenue } from './live-venue.ts'
import { connectPerpClient, type PerpStreamClient, STREAMS } from './perp-stream-client.ts'
import { PerpTraders } from './perp-traders.ts'
import { count, describeRun, printTable, readNumbers, round, writeResults } from './report.ts'
import { Sender } from './sender.ts'
import { preciseNowMs } from './stream-listener.ts'
import { untilIndexed } from './until-indexed.ts'

const AIM_P99_MS = 50
const ARRIVES_WITHIN_MS = 60_000

interface Settings {
  readonly clients: number
  readonly seconds: number
  readonly perSecond: number
  /** Of the same trades, with everybody connected, before what is measured. */
  readonly warmUpSeconds: number
}

interface Latency {
  readonly p50Ms: number
  readonly p99Ms: number
}

/** When the node told of each block, when it first answered for it, and when the venue's tables did; Unix milliseconds with a fraction. */
interface Blocks {
  readonly toldMs: ReadonlyMap<number, number>
  readonly readableMs: ReadonlyMap<number, number>
  readonly indexedMs: ReadonlyMap<number, number>
  /** The height of each transaction's block. */
  readonly heights: ReadonlyMap<string, number>
  close(): Promise<void>
}

/** With so few clients most of what is measured is the venue, and not what its processors do for the clients beside it. */
const FEW_CLIENTS = 10
/** A quarter of the trades: what a block costs beside what its transactions cost. */
const FEW_TRADES = 4

/** `npm run bench -- perp-streams`: from a block that the node can be asked for to the messages that tell of it. */
export async function benchPerpStreams(args: readonly string[]): Promise<void> {
  const read = readNumbers(args, { clients: 100, seconds: 60, 'per-second': 20, 'warm-up': 20 })
  const { 'per-second': perSecond, 'warm-up': warmUpSeconds, ...rest } = read
  const settings: Settings = { ...rest, perSecond, warmUpSeconds }
  const run = describeRun()
  console.log('Starting a venue whose accounts trade perpetuals …')
  const venue = await liveVenue()
  const server = startChild('server-process.ts', null, VENUE_OPTIONS)
  try {
    const streamLimits = {
      connectionsPerKey: settings.clients,
      channelsPerConnection: 20,
      bufferBytes: 1024 * 1024,
      heartbeatMs: 15_000,
    }
    const senders = venue.dev.accounts.map(({ address }) => new Sender(venue.rpc, address))
    const wallets = senders.map(({ address }) => address.toLowerCase())
    const keys = await issueKeys(venue.sql, { ...venue.server, productType: perp.keyScope({}) }, wallets)
    const { port } = await server.ask<{ port: number }>({ start: { ...venue.server, services: true, streamLimits } })
    const traders = await PerpTraders.open(venue.rpc, venue.dev, senders)
    const results: Results[] = []
    for (const one of loads(settings)) {
      const result = await measure(one, { venue, port, keys, wallets, senders, traders })
      print(result)
      results.push(result)
    }
    await writeResults('perp-streams', { ...run, settings, results })
  } finally {
    await server.stop()
    await venue.close()
  }
}

/** Few clients and few trades, then more trades, then all clients. */
function loads(settings: Settings): readonly Settings[] {
  const clients = Math.min(FEW_CLIENTS, settings.clients)
  const few = { ...settings, clients }
  const quiet = { ...few, perSecond: Math.max(1, Math.round(settings.perSecond / FEW_TRADES)) }
  return clients < settings.clients ? [quiet, few, settings] : [quiet, few]
}

interface Measured {
  readonly venue: LiveVenue
  readonly port: number
  readonly keys: readonly BenchKey[]
  /** Of the keys, in their order. */
  readonly wallets: readonly string[]
  readonly senders: readonly Sender[]
  readonly traders: PerpTraders
}

async function measure(
  settings: Settings,
  { venue, port, keys, wallets, senders, traders }: Measured,
): Promise<Results> {
  const clients: PerpStreamClient[] = []
  try {
    for (let n = 0; n < settings.clients; n++) {
      const client = await connectPerpClient(port, venue.dev.chain.chainId, keys[n % keys.length] as BenchKey)
      clients.push(client)
      await client.follow(followedBy(venue))
    }
    const blocks = await watchBlocks(venue)
    const start = await tip(venue)
    await tradeFor(settings.warmUpSeconds, settings, senders, traders)
    const from = await tip(venue)
    await tradeFor(settings.seconds, settings, senders, traders)
    await untilIndexed(venue.rpc, venue.sql)
    await untilAllTold(venue, wallets, clients, start)
    await blocks.close()
    return resultsOf(clients, blocks, from, settings)
  } finally {
    for (const client of clients) client.close()
  }
}

const followedBy = ({ dev }: LiveVenue): readonly Readonly<Record<string, unknown>>[] => {
  const pairs = dev.perp.instruments.map(({ address, expiry }) => ({ instrument: address, expiry }))
  return [
    { type: 'common' },
    { type: 'trades', tradesLimit: 100, pairs: pairs.map(({ instrument, expiry }) => `${instrument}_${expiry}`) },
    ...pairs.map((pair) => ({ type: 'orderBook', ...pair })),
    { type: 'executions' },
  ]
}

async function tip({ sql }: LiveVenue): Promise<bigint> {
  const [row] = await sql<{ number: bigint }[]>`select block_number as number from chain_checkpoints`
  return row?.number ?? 0n
}

/**
 * Notes each block when the node tells of it, when it answers for it, and when the indexer has committed it. The embedded node tells of
 * blocks while it writes its state, and answers nobody until it has: a block is readable when somebody has read it.
 */
async function watchBlocks({ dev, rpc, sql }: LiveVenue): Promise<Blocks> {
  const toldMs = new Map<number, number>()
  const readableMs = new Map<number, number>()
  const indexedMs = new Map<number, number>()
  const heights = new Map<string, number>()
  const reading: Promise<void>[] = []
  const node = new WebSocket(dev.chain.rpcUrl.replace('http', 'ws'))
  await new Promise<void>((resolve, reject) => node.once('open', resolve).once('error', reject))
  node.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}')
  node.on('message', (data: Buffer) => {
    const header = (JSON.parse(data.toString()) as { params?: { result?: { number: Hex } } }).params?.result
    if (!header) return
    toldMs.set(Number(header.number), preciseNowMs())
    const read = noteTransactions(rpc, header.number, heights)
    reading.push(read.then(() => void readableMs.set(Number(header.number), preciseNowMs())))
  })
  const hints = await sql.listen(BLOCKS_CHANNEL, (payload) => {
    const height = Number(payload.split(':')[1])
    if (!indexedMs.has(height)) indexedMs.set(height, preciseNowMs())
  })
  return {
    toldMs,
    readableMs,
    indexedMs,
    heights,
    async close() {
      node.terminate()
      await hints.unlisten()
      await Promise.all(reading)
    },
  }
}

async function noteTransactions(rpc: Rpc, number: Hex, heights: Map<string, number>): Promise<void> {
  const block = await rpc.call<{ transactions: readonly string[] }>('eth_getBlockByNumber', [number, false])
  for (const hash of block.transactions) heights.set(hash, Number(number))
}

async function tradeFor(seconds: number, { perSecond }: Settings, senders: readonly Sender[], traders: PerpTraders) {
  const startedMs = performance.now()
  for (let n = 0; n < seconds * perSecond; n++) {
    await sleep(Math.max(0, startedMs + (n * 1000) / perSecond - performance.now()))
    void traders.act()
  }
  for (const sender of senders) await sender.mined()
}

/** Every client must have been told every execution of its wallet. */
async function untilAllTold(
  { sql }: LiveVenue,
  wallets: readonly string[],
  clients: readonly PerpStreamClient[],
  from: bigint,
): Promise<void> {
  const rows = await sql<{ trader: string; hashes: string[] }[]>`
    select trader, array_agg(distinct tx_hash) as hashes from perp_executions where block_number > ${from} group by trader`
  const due = new Map(rows.map(({ trader, hashes }) => [trader, hashes]))
  const deadlineMs = Date.now() + ARRIVES_WITHIN_MS
  const isTold = (client: PerpStreamClient, nth: number) => {
    const told = new Set(client.arrivals.filter(({ stream }) => stream === 'executions').map(({ mark }) => mark))
    return (due.get(wallets[nth % wallets.length] ?? '') ?? []).every((hash) => told.has(hash))
  }
  while (!clients.every(isTold)) {
    if (clients.some(({ isClosed }) => isClosed)) throw new Error('a client was cut')
    if (Date.now() > deadlineMs) throw new Error('executions have not arrived at every client')
    await sleep(100)
  }
}

interface Results {
  readonly clients: number
  readonly perSecond: number
  readonly blocks: number
  readonly messagesPerSec: number
  /** From the node's word of a block until it answers for it. */
  readonly toReadable: Latency
  /** From there to the commit of its rows. */
  readonly toIndexed: Latency
  /** From there to the message, by stream; and the part of it after the commit. */
  readonly streams: Readonly<Record<string, { readonly fromReadable: Latency; readonly fromIndexed: Latency }>>
}

/** Of the blocks above `from`. */
function resultsOf(
  clients: readonly PerpStreamClient[],
  { toldMs, readableMs: readable, indexedMs, heights }: Blocks,
  from: bigint,
  { perSecond, seconds, warmUpSeconds }: Settings,
): Results {
  const readableMs = new Map([...readable].filter(([height]) => height > from))
  const both = [...indexedMs].filter(([height]) => readableMs.has(height))
  const streams = STREAMS.map((stream) => {
    const fromReadable: number[] = []
    const fromIndexed: number[] = []
    for (const { mark, atMs } of clients.flatMap(({ arrivals }) => arrivals.filter((one) => one.stream === stream))) {
      const height = mark.startsWith('0x') ? heights.get(mark) : Number(mark)
      const wasReadable = readableMs.get(height ?? -1)
      if (wasReadable === undefined) continue
      const wasIndexed = indexedMs.get(height ?? -1)
      fromReadable.push(atMs - wasReadable)
      if (wasIndexed !== undefined) fromIndexed.push(atMs - wasIndexed)
    }
    return [stream, { fromReadable: latencyOf(fromReadable), fromIndexed: latencyOf(fromIndexed) }] as const
  })
  const messages = clients.reduce((sum, client) => sum + client.messages, 0)
  return {
    clients: clients.length,
    perSecond,
    blocks: both.length,
    messagesPerSec: Math.round(messages / (warmUpSeconds + seconds)),
    toReadable: latencyOf([...readableMs].map(([height, atMs]) => atMs - (toldMs.get(height) ?? atMs))),
    toIndexed: latencyOf(both.map(([height, atMs]) => atMs - (readableMs.get(height) ?? atMs))),
    streams: Object.fromEntries(streams),
  }
}

function latencyOf(times: readonly number[]): Latency {
  if (times.length === 0) throw new Error('nothing of a kind arrived')
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => round(sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0, 1)
  return { p50Ms: at(0.5), p99Ms: at(0.99) }
}

function print({ clients, perSecond, blocks, messagesPerSec, toReadable, toIndexed, streams }: Results): void {
  console.log(
    `\n${count(clients)} clients, ${perSecond} transactions a second, ${blocks} blocks; ${count(messagesPerSec)} messages a second\n`,
  )
  const cells = ({ p50Ms, p99Ms }: Latency) => [p50Ms.toFixed(1), p99Ms.toFixed(1)]
  const verdict = ({ p99Ms }: Latency) => (p99Ms <= AIM_P99_MS ? 'met' : 'missed')
  printTable([
    ['', 'from readable, p50 ms', 'p99 ms', 'from indexed, p50 ms', 'p99 ms', `aim ${AIM_P99_MS} ms p99`],
    ['told, until readable', ...cells(toReadable), '', '', ''],
    ['block indexed', ...cells(toIndexed), '', '', ''],
    ...Object.entries(streams).map(([stream, { fromReadable, fromIndexed }]) => {
      return [`message ${stream}`, ...cells(fromReadable), ...cells(fromIndexed), verdict(fromReadable)]
    }),
  ])
}
