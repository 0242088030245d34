import { createPool, type Sql } from '../server/src/db/pool.ts'
import { sleep } from '../server/src/lib/clock.ts'
import { type BenchKey, issueKeys } from './api-keys.ts'
import { type Child, startChild } from './http/child.ts'
import type { VenueServer } from './http/server-process.ts'
import { indexedVenue } from './http/venue-rows.ts'
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
import { placeOrders, quoteSymbols, raiseQuotes } from './stream-changes.ts'
import { type Clock, connectClient, type StreamListener } from './stream-listener.ts'

const CLIENTS_OF_KEY = 20
const CUT_WITHIN_MS = 120_000
/** Small enough that the slow reader is cut within the run; the others never have this much waiting. */
const BUFFER_BYTES = 64 * 1024

interface Settings {
  readonly clients: number
  readonly seconds: number
  readonly rounds: number
  readonly pauseMs: number
}

interface Latency {
  readonly medianMs: number
  readonly p99Ms: number
}

interface Round {
  readonly messagesPerSec: number
  readonly quotes: Latency
  readonly orders: Latency
}

/** `npm run bench -- streams`: clients that follow quotes and their own orders, one of them too slow. */
export async function benchStreams(args: readonly string[]): Promise<void> {
  const settings = readSettings(args)
  const run = describeRun()
  console.log('Starting a venue, so that there are quotes to follow …')
  const rows = await indexedVenue()
  const sql = createPool({ url: rows.server.databaseUrl, maxConnections: 4, applicationName: 'bench' })
  const server = startChild('server-process.ts', null)
  const clients: StreamListener[] = []
  try {
    const keys = await issueKeys(
      sql,
      rows.server,
      Array.from({ length: Math.ceil(settings.clients / CLIENTS_OF_KEY) }, () => null),
    )
    const limits = {
      connectionsPerKey: CLIENTS_OF_KEY + 1,
      channelsPerConnection: 200,
      bufferBytes: BUFFER_BYTES,
      heartbeatMs: 15_000,
    }
    const { port } = await server.ask<{ port: number }>({
      start: { ...rows.server, services: true, streamLimits: limits },
    })
    const clock: Clock = { quotes: new Map(), orders: new Map() }
    const idleMb = await memoryMb(server)
    await connectAll(clients, {
      server: rows.server,
      port,
      keys,
      clock,
      count: settings.clients,
      symbols: await quoteSymbols(sql),
    })
    const world = { sql, server: rows.server, keys, clients, clock }
    const rounds: Round[] = []
    for (let i = 1; i <= settings.rounds; i++) {
      process.stdout.write(`\rRound ${i} of ${settings.rounds} …`)
      rounds.push(await measure(world, settings))
    }
    const slow = await measureSlowReader(world, settings, port)
    const memory = { idleMb, connectedMb: await memoryMb(server) }
    const results = { ...resultsOf(rounds), slowReader: slow, memory }
    print(results, settings)
    await writeResults('streams', { ...run, settings: { ...settings, keys: keys.length }, results })
  } finally {
    for (const client of clients) client.close()
    await server.stop()
    await sql.end()
    await rows.close()
  }
}

function readSettings(args: readonly string[]): Settings {
  const { 'pause-ms': pauseMs, ...rest } = readNumbers(args, { clients: 500, seconds: 5, rounds: 3, 'pause-ms': 250 })
  return { ...rest, pauseMs }
}

interface Connecting {
  readonly server: VenueServer
  readonly port: number
  readonly keys: readonly BenchKey[]
  readonly clock: Clock
  readonly count: number
  readonly symbols: readonly string[]
}

/** Each client follows every quote and its key's orders. */
async function connectAll(
  clients: StreamListener[],
  { server, port, keys, clock, count: wanted, symbols }: Connecting,
): Promise<void> {
  console.log(`Connecting ${wanted} clients of ${keys.length} keys …`)
  const channels = [...symbols.map((symbol) => `quotes:${symbol}`), 'orders']
  for (let from = 0; from < wanted; from += CLIENTS_OF_KEY) {
    const key = keys[from / CLIENTS_OF_KEY] as BenchKey
    const batch = Array.from({ length: Math.min(CLIENTS_OF_KEY, wanted - from) }, () =>
      connectClient({ server, port, key, clock }),
    )
    clients.push(...batch)
    await Promise.all(batch.map((client) => client.follow(channels)))
  }
}

interface World {
  readonly sql: Sql
  readonly server: VenueServer
  readonly keys: readonly BenchKey[]
  readonly clients: readonly StreamListener[]
  readonly clock: Clock
}

/** Changes every quote and places an order for every key, again and again; then lets what is under way arrive. */
async function measure({ sql, server, keys, clients, clock }: World, { seconds, pauseMs }: Settings): Promise<Round> {
  for (const client of clients) client.reset()
  const startedMs = performance.now()
  const expected: string[] = []
  while (performance.now() - startedMs < seconds * 1000) {
    await raiseQuotes(sql, clock)
    expected.push(...(await placeOrders(sql, server, keys, clock)))
    await sleep(pauseMs)
  }
  const elapsedMs = performance.now() - startedMs
  await untilOrdersArrived(clients, expected.length / keys.length)
  const received = clients.reduce((sum, client) => sum + client.messages, 0)
  const times = (of: 'quotes' | 'orders') => latencyOf(clients.flatMap((client) => client.latencyMs[of]))
  return { messagesPerSec: (received / elapsedMs) * 1000, quotes: times('quotes'), orders: times('orders') }
}

/** Quotes are conflated, orders are not: every client gets every order. */
async function untilOrdersArrived(clients: readonly StreamListener[], orders: number): Promise<void> {
  const deadlineMs = Date.now() + CUT_WITHIN_MS
  while (clients.some((client) => client.latencyMs.orders.length < orders)) {
    if (Date.now() > deadlineMs) throw new Error('orders have not arrived at every client')
    await sleep(20)
  }
}

interface SlowReader {
  /** Time until the venue cut it. */
  readonly cutAfterMs: number
  /** Delays of the others at full speed, without the slow reader and with it. */
  readonly without: Round
  readonly beside: Round
}

/** One more client, which does not read, while changes come as fast as they can: it is cut, and nobody else is. */
async function measureSlowReader(world: World, settings: Settings, port: number): Promise<SlowReader> {
  process.stdout.write('\rA slow reader …'.padEnd(40))
  const { server, keys, clock, clients, sql } = world
  const flood = { ...settings, pauseMs: 0 }
  const without = await measure(world, flood)
  const slow = connectClient({ server, port, key: keys[0] as BenchKey, clock })
  await slow.follow([...(await quoteSymbols(sql)).map((symbol) => `quotes:${symbol}`), 'orders'])
  slow.stopReading()
  const startedMs = performance.now()
  const beside = await measure(world, flood)
  while ((await connections(port)) > clients.length) {
    if (performance.now() - startedMs > CUT_WITHIN_MS) throw new Error('the slow reader was not cut')
    await measure(world, { ...flood, seconds: 1 })
  }
  const cutAfterMs = round(performance.now() - startedMs, 0)
  slow.close()
  const gone = clients.filter((client) => client.isClosed).length
  if (gone > 0) throw new Error(`${gone} clients that read were cut with the one that did not`)
  return { cutAfterMs, without, beside }
}

/** As the api process counts them: a client that does not read does not see its own end. */
async function connections(port: number): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const open = /^bourse_stream_connections (\d+)/m.exec(metrics)?.[1]
  if (open === undefined) throw new Error('the metrics lack the number of connections')
  return Number(open)
}

async function memoryMb(server: Child): Promise<number> {
  const { rss } = await server.ask<NodeJS.MemoryUsage>('memory')
  return round(rss / 2 ** 20, 0)
}

function latencyOf(times: readonly number[]): Latency {
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0
  return { medianMs: round(at(0.5), 1), p99Ms: round(at(0.99), 1) }
}

interface Results {
  readonly messagesPerSec: Spread
  readonly quotes: { readonly medianMs: Spread; readonly p99Ms: Spread }
  readonly orders: { readonly medianMs: Spread; readonly p99Ms: Spread }
}

function resultsOf(rounds: readonly Round[]): Results {
  const spread = (read: (one: Round) => number, digits = 1) => roundSpread(spreadOf(rounds.map(read)), digits)
  const latency = (of: 'quotes' | 'orders') => ({
    medianMs: spread((one) => one[of].medianMs),
    p99Ms: spread((one) => one[of].p99Ms),
  })
  return {
    messagesPerSec: spread((one) => one.messagesPerSec, 0),
    quotes: latency('quotes'),
    orders: latency('orders'),
  }
}

function print(
  {
    messagesPerSec,
    quotes,
    orders,
    slowReader,
    memory,
  }: Results & { slowReader: SlowReader; memory: { idleMb: number; connectedMb: number } },
  { clients, rounds, pauseMs }: Settings,
): void {
  console.log(
    `\n\nMedians of ${rounds} rounds; ${count(clients)} clients; all quotes, and an order of every key, every ${pauseMs} ms\n`,
  )
  const line = (name: string, { medianMs, p99Ms }: Results['quotes']) => [
    name,
    medianMs.median.toFixed(1),
    p99Ms.median.toFixed(1),
  ]
  printTable([['from commit to receipt', 'median ms', 'p99 ms'], line('  quotes', quotes), line('  orders', orders)])
  console.log(
    `\n${count(messagesPerSec.median)} messages a second; the api process holds ${memory.connectedMb} MB (${memory.idleMb} before)`,
  )
  const { cutAfterMs, without, beside } = slowReader
  const flood = ({ quotes }: Round) => `${quotes.medianMs} ms, p99 ${quotes.p99Ms} ms`
  console.log(
    `With changes as fast as they can be made, quotes arrive after ${flood(without)}. A client that does not read is cut within ` +
      `${round(cutAfterMs / 1000, 1)} s; beside it, quotes arrive after ${flood(beside)}`,
  )
}
