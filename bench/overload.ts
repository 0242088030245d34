import { DEVELOPMENT_MNEMONIC } from '../server/src/chain/embedded/accounts.ts'
import { startAnvil } from '../server/src/chain/embedded/anvil.ts'
import { createPool } from '../server/src/db/pool.ts'
import { SEND_LIMITS } from '../server/src/delegation/send-queue.ts'
import { acceptedSends } from './commits.ts'
import { startChild } from './http/child.ts'
import type { RateOrder, RateReport } from './http/rate-process.ts'
import { indexedVenue } from './http/venue-rows.ts'
import { type ProcessorTime, perSend, processorTime } from './processor-time.ts'
import { count, describeRun, printTable, readNumbers, round, writeResults } from './report.ts'
import { CONNECTIONS, EVERYBODY, GAS_PER_DAY, measureSends, prepare, templatesOf } from './send.ts'

/** How many times its capacity a process is asked for. */
const TIMES = 2
const AIM_OF_CAPACITY = 0.8
const AIM_P99_MS = 3000

/** `npm run bench -- overload`: what an api process still accepts when twice as many sends arrive as it can store. */
export async function benchOverload(args: readonly string[]): Promise<void> {
  const settings = readNumbers(args, { sends: 1500, seconds: 20, warmUp: 5, users: 32 })
  const run = describeRun()
  console.log('Starting a venue, so that there are stocks to order …')
  const rows = await indexedVenue()
  const { chainId } = rows.server.deployment
  const anvil = await startAnvil({ chainId, statePath: rows.chainStatePath, mnemonic: DEVELOPMENT_MNEMONIC })
  const sql = createPool({ url: rows.server.databaseUrl, maxConnections: CONNECTIONS, applicationName: 'bench' })
  const names = ['server-process.ts', 'server-process.ts', 'load-process.ts', 'rate-process.ts'] as const
  const children = names.map((name) => startChild(name, null))
  try {
    const [open, bounded, load, rate] = children as [
      (typeof children)[0],
      (typeof children)[0],
      (typeof children)[0],
      (typeof children)[0],
    ]
    const order = { ...rows.server, rpcUrl: anvil.rpcUrl, maxConnections: CONNECTIONS, submitGasPerDay: GAS_PER_DAY }
    const templates = templatesOf(rows, await prepare(sql, order, anvil.rpcUrl, settings.users))
    const { port } = await open.ask<{ port: number }>({ start: { ...order, sendLimits: EVERYBODY } })
    const target = { load, server: open, port, templates, sql }
    await measureSends(target, settings.sends)
    const alone = processorTime()
    const capacity = await measureSends(target, settings.sends)
    const cpuMs = perSend(alone, processorTime(), settings.sends)
    await open.stop()

    const asked = await bounded.ask<{ port: number }>({ start: { ...order, sendLimits: SEND_LIMITS } })
    const perSecond = Math.round(capacity * TIMES)
    // As many as have no answer yet at a time: those that are accepted wait two seconds for a hash.
    const connections = perSecond * 2
    const overload: RateOrder = { ...asked, templates, perSecond, connections, seconds: settings.seconds }
    // The capacity is that of a process that has worked before, too.
    await rate.ask<RateReport>({ ...overload, seconds: settings.warmUp })
    const before = { ...(await acceptedSends(sql)), used: processorTime() }
    const report = await rate.ask<RateReport>(overload)
    const used = processorTime()
    const accepted = (await acceptedSends(sql)).claims - before.claims
    const times = { capacity: cpuMs, overload: perSend(before.used, used, accepted) }
    const results = resultsOf(capacity, overload, accepted, report, times)
    print(results)
    await writeResults('overload', { ...run, settings: { ...settings, connections: CONNECTIONS }, results })
  } finally {
    await Promise.all(children.map((child) => child.stop()))
    await sql.end()
    await anvil.stop()
    await rows.close()
  }
}

/** Processor time for one send that is accepted, milliseconds. */
interface Times {
  readonly capacity: ProcessorTime
  readonly overload: ProcessorTime
}

function resultsOf(
  capacity: number,
  { perSecond }: RateOrder,
  accepted: number,
  report: RateReport,
  { capacity: alone, overload }: Times,
) {
  const { statuses, latenciesMs, elapsedMs, withoutRetryAfter } = report
  // Each 200 is a send that is stored, and each that is stored a 200: nothing is refused and sent all the same.
  if (accepted !== statuses['200'])
    throw new Error(`${accepted} sends are stored, ${statuses['200']} were acknowledged`)
  const others = Object.keys(statuses).filter((status) => status !== '200' && status !== '503')
  if (others.length > 0 || withoutRetryAfter > 0)
    throw new Error(`answers other than 200 and 503: ${JSON.stringify(statuses)}`)
  const acceptedPerSec = (accepted / elapsedMs) * 1000
  return {
    capacityPerSec: Math.round(capacity),
    askedPerSec: perSecond,
    acceptedPerSec: Math.round(acceptedPerSec),
    ofCapacity: Math.round((acceptedPerSec / capacity) * 100) / 100,
    refused: statuses['503'] ?? 0,
    p99Ms: Math.round(latenciesMs[Math.floor(latenciesMs.length * 0.99)] ?? 0),
    cpuMs: { capacity: roundTimes(alone), overload: roundTimes(overload) },
    ofCapacityByProcessorTime: round(venueMs(alone) / venueMs(overload), 2),
  }
}

/** All parts but the load. */
const venueMs = ({ chainNode, database, api }: ProcessorTime): number => chainNode + database + api

const roundTimes = (times: ProcessorTime): ProcessorTime => ({
  chainNode: round(times.chainNode, 2),
  database: round(times.database, 2),
  api: round(times.api, 2),
  load: round(times.load, 2),
})

function print(results: ReturnType<typeof resultsOf>): void {
  const met = (isMet: boolean) => (isMet ? 'met' : 'missed')
  console.log('')
  printTable([
    ['', 'per second', '', 'aim'],
    ['capacity', count(results.capacityPerSec), '', ''],
    ['asked for', count(results.askedPerSec), '', ''],
    [
      'accepted',
      count(results.acceptedPerSec),
      `${results.ofCapacity} of capacity`,
      `${AIM_OF_CAPACITY} ${met(results.ofCapacity >= AIM_OF_CAPACITY)}`,
    ],
    ['p99 of what is accepted', '', `${results.p99Ms} ms`, `${AIM_P99_MS} ms ${met(results.p99Ms <= AIM_P99_MS)}`],
  ])
  console.log(`\n${count(results.refused)} were refused with 503 and Retry-After, and nothing was done for them`)
  const { capacity, overload } = results.cpuMs
  const inWords = ({ chainNode, database, api, load }: ProcessorTime) =>
    `chain node ${chainNode} ms, database ${database}, api ${api}, load ${load}`
  console.log(`Processor time of a send that is accepted: ${inWords(capacity)}`)
  console.log(
    `  with the refusals beside it: ${inWords(overload)}; without the load ${results.ofCapacityByProcessorTime}`,
  )
}
