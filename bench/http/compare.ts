import { parseArgs } from 'node:util'
import {
  count,
  describeRun,
  positive,
  printTable,
  round,
  roundSpread,
  type Spread,
  spreadOf,
  writeResults,
} from '../report.ts'
import { type Child, canPin, startChild } from './child.ts'
import type { LoadOrder, LoadReport } from './load-process.ts'
import type { TimeByPart } from './profile.ts'
import type { RequestTemplate } from './requests.ts'
import type { ServerOrder, VenueServer } from './server-process.ts'

const WARM_UP_REQUESTS = 10_000
/** By so many the first pass of the warm-up finds out how fast a server is. */
const FIRST_REQUESTS = 200
/** A pass of a slow server takes no longer: its requests are signed before it begins, and signatures grow old. */
const LONGEST_PASS_SEC = 5

type Kind = ServerOrder['kind']
const KINDS: readonly Kind[] = ['node', 'fastify', 'bourse']
const NAMES: Readonly<Record<Kind, string>> = {
  node: 'bare node:http',
  fastify: 'bare Fastify',
  bourse: 'Bourse, signed',
}

interface Settings {
  readonly rounds: number
  readonly seconds: number
  readonly connections: number
  readonly pipeline: number
}

/** One server and the requests it gets. */
interface Variant {
  readonly kind: Kind
  readonly operation: string
  readonly templates: readonly RequestTemplate[]
  readonly server: Child
  readonly port: number
  /** Requests in one measurement. */
  requests: number
  readonly measured: Measurement[]
}

interface Measurement {
  readonly perSec: number
  /** Requests in a second of the server's processor time: what counts when the load is the slower side. */
  readonly perCpuSec: number
  readonly serverCpu: number
  readonly loadCpu: number
}

/** A request under measurement. */
export interface Operation {
  readonly name: string
  /** Sent in turn; they differ in their keys alone. */
  readonly templates: readonly [RequestTemplate, ...RequestTemplate[]]
  /** The code that the venue's answers have. */
  readonly code: number
  /** Share of bare Fastify that the signed API aims at. */
  readonly aim: number
}

/** Measures the venue's server against bare servers that answer the same requests with the same bytes; writes bench/results/<name>.json. */
export async function compareServers(
  name: string,
  args: readonly string[],
  prepare: () => Promise<{
    readonly server: VenueServer
    readonly operations: readonly Operation[]
    close(): Promise<void>
  }>,
): Promise<void> {
  const { profile, ...settings } = readSettings(args)
  const run = describeRun()
  const { server, operations, close } = await prepare()
  const cores = canPin() ? { server: 0, load: 1 } : { server: null, load: null }
  const load = startChild('load-process.ts', cores.load)
  const variants: Variant[] = []
  try {
    for (const operation of operations) variants.push(...(await startVariants(server, operation, cores.server, load)))
    await warmUp(variants, load, settings)
    for (let i = 1; i <= settings.rounds; i++) {
      process.stdout.write(`\rRound ${i} of ${settings.rounds} …`)
      // Every other round runs in reverse order, so that drift affects all servers alike.
      for (const variant of i % 2 === 1 ? variants : variants.toReversed()) await measure(variant, load, settings)
    }
    console.log('\n')
    const results = operations.flatMap((operation) => resultsOf(operation, variants))
    print(results, settings, cores.server !== null)
    const spent = profile ? await profileAll(operations, variants, load, settings) : []
    for (const one of spent) printSpent(one)
    const described = { ...settings, pinned: cores.server !== null }
    await writeResults(name, { ...run, settings: described, results, ...(profile ? { spent } : {}) })
  } finally {
    await Promise.all([load, ...variants.map((variant) => variant.server)].map((child) => child.stop()))
    await close()
  }
}

function readSettings(args: readonly string[]): Settings & { profile: boolean } {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '7' },
      seconds: { type: 'string', default: '2' },
      connections: { type: 'string', default: '64' },
      pipeline: { type: 'string', default: '1' },
      profile: { type: 'boolean', default: false },
    },
  })
  return {
    rounds: positive('rounds', values.rounds),
    seconds: positive('seconds', values.seconds),
    connections: positive('connections', values.connections),
    pipeline: positive('pipeline', values.pipeline),
    profile: values.profile,
  }
}

/** The venue's server first: what it answers is what the bare ones answer. */
async function startVariants(
  venue: VenueServer,
  { name, templates, code }: Operation,
  core: number | null,
  load: Child,
): Promise<Variant[]> {
  const start = async (kind: Kind, order: ServerOrder): Promise<Variant> => {
    const server = startChild('server-process.ts', core)
    const { port } = await server.ask<{ port: number }>({ start: order })
    return { kind, operation: name, templates, server, port, requests: FIRST_REQUESTS, measured: [] }
  }
  const bourse = await start('bourse', venue)
  const { sample } = await send(bourse, load, { count: 1, connections: 1, pipeline: 1 })
  if (JSON.parse(sample).code !== code) throw new Error(`the venue refused: ${sample}`)
  const [path = ''] = (templates[0].prefix + templates[0].uri).split('?')
  const bare = (kind: 'node' | 'fastify') => start(kind, { kind, path, answer: sample })
  return [await bare('node'), await bare('fastify'), bourse]
}

const send = (
  { port, templates }: Variant,
  load: Child,
  order: Pick<LoadOrder, 'count' | 'connections' | 'pipeline'>,
): Promise<LoadReport> => load.ask<LoadReport>({ port, templates, ...order } satisfies LoadOrder)

/** Warms up until the code is compiled; the last pass also sizes one measurement. */
async function warmUp(variants: readonly Variant[], load: Child, settings: Settings): Promise<void> {
  for (const variant of variants) {
    process.stdout.write(`\rWarming up ${NAMES[variant.kind]}, ${variant.operation} …`.padEnd(70))
    for (let i = 0; i < 5; i++) {
      const { answers, elapsedMs } = await send(variant, load, { ...settings, count: variant.requests })
      const perSec = (answers / elapsedMs) * 1000
      const atLeast = Math.min(WARM_UP_REQUESTS, perSec * LONGEST_PASS_SEC)
      variant.requests = Math.ceil(Math.max(atLeast, Math.min(settings.seconds, LONGEST_PASS_SEC) * perSec))
    }
  }
  console.log()
}

async function measure(variant: Variant, load: Child, settings: Settings): Promise<void> {
  const before = await variant.server.ask<NodeJS.CpuUsage>('cpu')
  const { answers, elapsedMs, ownCpu } = await send(variant, load, { ...settings, count: variant.requests })
  const after = await variant.server.ask<NodeJS.CpuUsage>('cpu')
  const cpuMs = (after.user + after.system - before.user - before.system) / 1000
  variant.measured.push({
    perSec: (answers / elapsedMs) * 1000,
    perCpuSec: (answers / cpuMs) * 1000,
    serverCpu: cpuMs / elapsedMs,
    loadCpu: ownCpu,
  })
}

/** Processor time of one request by part of the program, in microseconds, beside that of the bare server. */
interface Spent {
  readonly operation: string
  readonly parts: readonly { readonly part: string; readonly fastifyUs: number; readonly bourseUs: number }[]
}

/** One more measurement for each, profiled apart so that profiling disturbs no other. */
async function profileAll(
  operations: readonly Operation[],
  variants: readonly Variant[],
  load: Child,
  settings: Settings,
): Promise<readonly Spent[]> {
  const spent: Spent[] = []
  for (const { name } of operations) {
    const of = (kind: Kind) => variants.find((one) => one.operation === name && one.kind === kind) as Variant
    const fastify = await profileOne(of('fastify'), load, settings)
    const bourse = await profileOne(of('bourse'), load, settings)
    const parts = [...new Set([...Object.keys(bourse), ...Object.keys(fastify)])]
      .map((part) => ({ part, fastifyUs: round(fastify[part] ?? 0, 2), bourseUs: round(bourse[part] ?? 0, 2) }))
      .sort((a, b) => b.bourseUs - b.fastifyUs - (a.bourseUs - a.fastifyUs))
    spent.push({ operation: name, parts })
  }
  return spent
}

async function profileOne(variant: Variant, load: Child, settings: Settings): Promise<Record<string, number>> {
  const requestUs = 1_000_000 / spreadOf(variant.measured.map((one) => one.perCpuSec)).median
  await variant.server.ask('profile')
  await send(variant, load, { ...settings, count: variant.requests })
  const shares = await variant.server.ask<TimeByPart>('profiled')
  return Object.fromEntries(Object.entries(shares).map(([part, share]) => [part, share * requestUs]))
}

interface Result {
  readonly operation: string
  readonly server: Kind
  readonly requestsPerSec: Spread
  readonly requestsPerServerCpuSec: Spread
  readonly serverCpu: number
  readonly loadCpu: number
  /** Requests per second of bare Fastify, round by round. */
  readonly ofFastify: Spread
  readonly ofFastifyByCpu: Spread
  readonly ofNode: Spread
  readonly aimOfFastify?: number
}

function resultsOf({ name, aim }: Operation, variants: readonly Variant[]): readonly Result[] {
  const of = (kind: Kind) => variants.find((v) => v.operation === name && v.kind === kind)?.measured ?? []
  return KINDS.map((kind): Result => {
    const spread = (value: (one: Measurement) => number) => spreadOf(of(kind).map(value))
    const ratio = (to: Kind, value: (one: Measurement) => number) =>
      roundSpread(spreadOf(of(kind).map((one, i) => value(one) / value(of(to)[i] as Measurement))), 3)
    return {
      operation: name,
      server: kind,
      requestsPerSec: roundSpread(
        spread((one) => one.perSec),
        0,
      ),
      requestsPerServerCpuSec: roundSpread(
        spread((one) => one.perCpuSec),
        0,
      ),
      serverCpu: round(spread((one) => one.serverCpu).median, 2),
      loadCpu: round(spread((one) => one.loadCpu).median, 2),
      ofFastify: ratio('fastify', (one) => one.perSec),
      ofFastifyByCpu: ratio('fastify', (one) => one.perCpuSec),
      ofNode: ratio('node', (one) => one.perSec),
      ...(kind === 'bourse' ? { aimOfFastify: aim } : {}),
    }
  })
}

function print(results: readonly Result[], settings: Settings, pinned: boolean): void {
  const { rounds, connections, pipeline } = settings
  console.log(
    `Medians of ${rounds} rounds, ${connections} connections with ${pipeline} request${pipeline === 1 ? '' : 's'} in flight, ` +
      `${pinned ? 'server and load on a core each' : 'processes not bound to cores'}\n`,
  )
  const range = ({ median, min, max }: Spread) => `${median.toFixed(2)} (${min.toFixed(2)} to ${max.toFixed(2)})`
  printTable([
    ['', 'requests/s', 'of bare Fastify', 'by processor time', 'aim', 'server core', 'load core'],
    ...results.map((one) => [
      `${one.operation}, ${NAMES[one.server]}`,
      count(one.requestsPerSec.median),
      range(one.ofFastify),
      range(one.ofFastifyByCpu),
      one.aimOfFastify === undefined
        ? ''
        : `${one.aimOfFastify} ${one.ofFastify.median >= one.aimOfFastify ? 'met' : 'missed'}`,
      `${Math.round(one.serverCpu * 100)} %`,
      `${Math.round(one.loadCpu * 100)} %`,
    ]),
  ])
}

function printSpent({ operation, parts }: Spent): void {
  console.log(`\n${operation}: processor time of one request, in microseconds`)
  const total = (of: 'fastifyUs' | 'bourseUs') => parts.reduce((sum, part) => sum + part[of], 0)
  const line = (name: string, fastifyUs: number, bourseUs: number) => [
    `  ${name}`,
    ...[fastifyUs, bourseUs, bourseUs - fastifyUs].map((us) => us.toFixed(1)),
  ]
  printTable([
    ['', NAMES.fastify, NAMES.bourse, 'difference'],
    ...parts
      .filter((one) => Math.max(one.bourseUs, one.fastifyUs) >= 0.1)
      .map((one) => line(one.part, one.fastifyUs, one.bourseUs)),
    line('all', total('fastifyUs'), total('bourseUs')),
  ])
}
