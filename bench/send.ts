import { DEVELOPMENT_MNEMONIC } from '../server/src/chain/embedded/accounts.ts'
import { startAnvil } from '../server/src/chain/embedded/anvil.ts'
import { createRpc } from '../server/src/chain/rpc.ts'
import { createPool, type Sql } from '../server/src/db/pool.ts'
import { SEND_LIMITS } from '../server/src/delegation/send-queue.ts'
import { type BenchKey, issueKeys } from './api-keys.ts'
import { acceptedSends, bareCommits, reportSigners } from './commits.ts'
import { type Child, startChild } from './http/child.ts'
import type { LoadOrder, LoadReport } from './http/load-process.ts'
import type { RequestTemplate } from './http/requests.ts'
import type { VenueServer } from './http/server-process.ts'
import { indexedVenue, type VenueRows } from './http/venue-rows.ts'
import { delegatedUsers, poolSigners } from './one-click-users.ts'
import { type ProcessorTime, perSend, processorTime } from './processor-time.ts'
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

/** As the venue has them. */
export const CONNECTIONS = 12
const AIM_OF_COMMITS = 0.1
const DEADLINE_SEC = 4_000_000_000
const SOCKETS = 64
/** All sends of a round come at once, and every one is to be stored. */
export const EVERYBODY = { ...SEND_LIMITS, waiting: 100_000, waitingOfKey: 100_000, waitMs: 600_000 }
/** More than all rounds reserve. */
export const GAS_PER_DAY = String(10n ** 15n)

interface Settings {
  readonly rounds: number
  readonly sends: number
  readonly users: number
}

interface Round {
  readonly commitsPerSec: number
  /** Processor time that each part takes for one send of many keys, its wait for a hash included. */
  readonly cpuMs: ProcessorTime
  readonly acceptedPerSec: number
  /** The same from one key alone. */
  readonly ofOneKeyPerSec: number
}

/** `npm run bench -- send`: One Click orders accepted for good per second, beside the commits that the database makes. */
export async function benchSend(args: readonly string[]): Promise<void> {
  const settings = readSettings(args)
  const run = describeRun()
  console.log('Starting a venue, so that there are stocks to order …')
  const rows = await indexedVenue()
  const { chainId } = rows.server.deployment
  const anvil = await startAnvil({ chainId, statePath: rows.chainStatePath, mnemonic: DEVELOPMENT_MNEMONIC })
  const sql = createPool({ url: rows.server.databaseUrl, maxConnections: CONNECTIONS, applicationName: 'bench' })
  const children = [startChild('server-process.ts', null), startChild('load-process.ts', null)] as const
  try {
    const sendLimits = EVERYBODY
    const order = {
      ...rows.server,
      sendLimits,
      rpcUrl: anvil.rpcUrl,
      maxConnections: CONNECTIONS,
      submitGasPerDay: GAS_PER_DAY,
    }
    const keys = await prepare(sql, order, anvil.rpcUrl, settings.users)
    const [server, load] = children
    const { port } = await server.ask<{ port: number }>({ start: order })
    const target = { load, server, port, templates: templatesOf(rows, keys), sql }
    await measureSends(target, settings.sends)
    const rounds: Round[] = []
    for (let i = 1; i <= settings.rounds; i++) {
      process.stdout.write(`\rRound ${i} of ${settings.rounds} …`)
      rounds.push(await measureRound(target, settings, i % 2 === 0))
    }
    const results = resultsOf(rounds)
    print(results, settings)
    await writeResults('send', { ...run, settings: { ...settings, connections: CONNECTIONS }, results })
  } finally {
    await Promise.all(children.map((child) => child.stop()))
    await sql.end()
    await anvil.stop()
    await rows.close()
  }
}

function readSettings(args: readonly string[]): Settings {
  return readNumbers(args, { rounds: 5, sends: 1500, users: 32 })
}

/** Delegated users with a bound key each, and a signer that the sends are run as. Nobody relays here. */
export async function prepare(
  sql: Sql,
  server: VenueServer,
  rpcUrl: string,
  users: number,
): Promise<readonly BenchKey[]> {
  console.log(`Approving, funding and delegating ${users} users …`)
  const chain = { rpc: createRpc({ url: rpcUrl }), deployment: server.deployment }
  const addresses = await delegatedUsers(chain, users)
  await reportSigners(sql, server.deployment.chainId, await poolSigners(chain, 1))
  return issueKeys(sql, server, addresses)
}

/** One order for each key in turn. */
export function templatesOf(
  { server, stockAddress }: VenueRows,
  keys: readonly BenchKey[],
): readonly RequestTemplate[] {
  const { prefix, productType, deployment } = server
  const order = { stockAddress, side: 'Buy', type: 'Market', notional: '10', deadline: DEADLINE_SEC }
  const common = { method: 'POST' as const, prefix, uri: '/api/v1/orders/send', body: JSON.stringify(order) }
  return keys.map(({ apiKey, apiSecret }) => ({
    ...common,
    productType,
    chainId: deployment.chainId,
    apiKey,
    apiSecret,
    idempotent: true,
  }))
}

export interface Target {
  readonly server: Child
  readonly load: Child
  readonly port: number
  readonly templates: readonly RequestTemplate[]
  readonly sql: Sql
}

/** One after the other, every other round in reverse order, so that drift affects both alike. */
async function measureRound(target: Target, { sends }: Settings, isReversed: boolean): Promise<Round> {
  const measures = {
    commitsPerSec: () => bareCommits(target.sql, CONNECTIONS, sends * 2),
    acceptedPerSec: () => measureSends(target, sends),
    ofOneKeyPerSec: () => measureSends({ ...target, templates: target.templates.slice(0, 1) }, Math.ceil(sends / 4)),
  }
  const names = Object.keys(measures) as (keyof typeof measures)[]
  const round = { commitsPerSec: 0, acceptedPerSec: 0, ofOneKeyPerSec: 0 }
  let cpuMs = processorTime()
  for (const name of isReversed ? names.toReversed() : names) {
    const before = processorTime()
    round[name] = await measures[name]()
    if (name === 'acceptedPerSec') cpuMs = perSend(before, processorTime(), sends)
  }
  return { ...round, cpuMs }
}

/**
 * Sends that all arrive at once, each with an Idempotency-Key of its own: how many are stored per second from the first
 * byte to the last row. The answers, which wait for a hash that does not come, follow later.
 */
export async function measureSends({ load, port, templates, sql }: Target, sends: number): Promise<number> {
  const before = await acceptedSends(sql)
  const pipeline = Math.ceil(sends / SOCKETS)
  const order: LoadOrder = { port, templates, count: sends, connections: SOCKETS, pipeline }
  const { startedAtMs, answers } = await load.ask<LoadReport>(order)
  const after = await acceptedSends(sql)
  const accepted = after.claims - before.claims
  if (answers !== sends || accepted !== sends || after.keys - before.keys !== sends || after.lastAtMs === null) {
    throw new Error(`${sends} sends made ${answers} answers, ${accepted} claims, ${after.keys - before.keys} records`)
  }
  return (sends / (after.lastAtMs - startedAtMs)) * 1000
}

interface Result {
  readonly commitsPerSec: Spread
  /** Milliseconds of processor time for one send. */
  readonly cpuMs: Readonly<Record<keyof ProcessorTime, Spread>>
  readonly acceptedPerSec: Spread
  readonly ofOneKeyPerSec: Spread
  /** Bare commits per second, round by round. */
  readonly ofCommits: Spread
  readonly ofOneKeyOfCommits: Spread
  readonly aimOfCommits: number
}

type Rate = Exclude<keyof Round, 'cpuMs'>

function resultsOf(rounds: readonly Round[]): Result {
  const cpu = (of: keyof ProcessorTime) => roundSpread(spreadOf(rounds.map(({ cpuMs }) => cpuMs[of])), 2)
  const rate = (of: Rate) => roundSpread(spreadOf(rounds.map((round) => round[of])), 0)
  const ratio = (of: Rate) => roundSpread(spreadOf(rounds.map((round) => round[of] / round.commitsPerSec)), 3)
  return {
    commitsPerSec: rate('commitsPerSec'),
    acceptedPerSec: rate('acceptedPerSec'),
    cpuMs: { chainNode: cpu('chainNode'), database: cpu('database'), api: cpu('api'), load: cpu('load') },
    ofOneKeyPerSec: rate('ofOneKeyPerSec'),
    ofCommits: ratio('acceptedPerSec'),
    ofOneKeyOfCommits: ratio('ofOneKeyPerSec'),
    aimOfCommits: AIM_OF_COMMITS,
  }
}

function print(results: Result, { rounds, sends, users }: Settings): void {
  console.log(
    `\n\nMedians of ${rounds} rounds; ${CONNECTIONS} connections to the database; ${count(sends)} sends of ${users} keys\n`,
  )
  const range = ({ median, min, max }: Spread) => `${median.toFixed(2)} (${min.toFixed(2)} to ${max.toFixed(2)})`
  const aim = `${AIM_OF_COMMITS} ${results.ofCommits.median >= AIM_OF_COMMITS ? 'met' : 'missed'}`
  printTable([
    ['', 'per second', 'of bare commits', 'aim'],
    ['bare commits of one row', count(results.commitsPerSec.median), '', ''],
    ['One Click orders accepted', count(results.acceptedPerSec.median), range(results.ofCommits), aim],
    ['  single key', count(results.ofOneKeyPerSec.median), range(results.ofOneKeyOfCommits), ''],
  ])
  const { chainNode, database, api, load } = results.cpuMs
  console.log(
    `\nProcessor time of a send: chain node ${chainNode.median} ms, database ${database.median}, api ${api.median}, load ${load.median}`,
  )
}
