import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AbiEvent, toEventSelector } from 'viem'
import { installApart } from '../scripts/setup.mjs'
import type { EventSource } from '../server/src/chain/follow/event-module.ts'
import type { Hex } from '../server/src/chain/types.ts'
import { collectOutput } from '../server/src/lib/child-output.ts'
import { sleep } from '../server/src/lib/clock.ts'
import { freePort } from '../server/src/lib/free-port.ts'
import { type Compared, type Cost, compared, costFromNow, emptyDatabase, inPool, rateOf } from './index-anew.ts'
import type { Sources } from './ponder/sources.ts'

const FOLDER = join(import.meta.dirname, 'ponder')
const PROGRAM = join(FOLDER, 'node_modules', 'ponder', 'dist', 'esm', 'bin', 'ponder.js')
/** The database, and the schema in it. */
const INDEXED_BY_PONDER = 'indexed_by_ponder'
const WITHIN_MS = 900_000
const LOOK_EVERY_MS = 20

/** Ponder's gauges of when its history began and ended, whole Unix seconds. */
const STARTED = 'ponder_historical_start_timestamp_seconds'
const ENDED = 'ponder_historical_end_timestamp_seconds'

/** Ends this process when it cannot be installed. */
export const installPonder = (): void => installApart(FOLDER)

/** A chain as Ponder is given it. */
export interface PonderChain {
  readonly chainId: number
  readonly rpcUrl: string
  readonly startBlock: bigint
  readonly endBlock: bigint
  readonly sources: readonly EventSource[]
  /** How many events there are; Ponder must have a row of each. */
  readonly events: number
}

/** What each of the follower's rounds was, and how fast all were beside Ponder's. */
export interface BesidePonder<Round> {
  readonly followed: readonly Round[]
  readonly rate: Compared
}

/** The follower by turns with Ponder, on the chain that the follower's first round tells of. */
export async function besidePonder<Round extends { readonly cost: Cost }>(
  rounds: number,
  clusterUrl: string,
  follow: () => Promise<Round>,
  chainOf: (first: Round) => PonderChain | Promise<PonderChain>,
): Promise<BesidePonder<Round>> {
  const [followed, ponder]: [Round[], Cost[]] = [[], []]
  let chain: PonderChain | null = null
  for (let round = 1; round <= rounds; round++) {
    process.stdout.write(`\rRound ${round} of ${rounds} …`)
    const one = await follow()
    chain ??= await chainOf(one)
    followed.push(one)
    ponder.push(await indexWithPonder(clusterUrl, chain))
  }
  if (!chain) throw new Error('nothing was measured')
  const costs = followed.map(({ cost }) => cost)
  return { followed, rate: compared(rateOf(chain.events, costs), rateOf(chain.events, ponder)) }
}

/**
 * Indexes the chain with Ponder, with nothing known of it, into a database of its own, one row an event. The time is that of its
 * history as it tells it itself, without its start. Throws unless it has every event.
 */
async function indexWithPonder(clusterUrl: string, chain: PonderChain): Promise<Cost> {
  const folder = await mkdtemp(join(tmpdir(), 'bourse-ponder-'))
  const databaseUrl = await emptyDatabase(clusterUrl, INDEXED_BY_PONDER)
  const file = join(folder, 'sources.json')
  await writeFile(file, JSON.stringify(sourcesOf(chain)))
  const port = await freePort()
  const ponder = startPonder(port, { PONDER_BENCH_SOURCES: file, DATABASE_URL: databaseUrl })
  try {
    const cost = await Promise.race([historyOf(port, ponder.child), ponder.failed])
    await compareCount(databaseUrl, chain.events)
    return cost
  } finally {
    await ponder.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

interface PonderProcess {
  readonly child: ChildProcess
  /** Rejects when the process ends by itself. */
  readonly failed: Promise<never>
  stop(): Promise<void>
}

function startPonder(port: number, settings: Readonly<Record<string, string>>): PonderProcess {
  const args = ['start', '--root', FOLDER, '--port', String(port), '--schema', INDEXED_BY_PONDER, '--log-level', 'warn']
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { ...process.env, ...settings, PONDER_TELEMETRY_DISABLED: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = collectOutput(child)
  const exited = once(child, 'exit')
  const failed = exited.then((): never => {
    throw new Error(`Ponder ended:\n${said()}`)
  })
  failed.catch(() => {})
  return {
    child,
    failed,
    async stop() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** From the beginning of its history to the end. */
async function historyOf(port: number, child: ChildProcess): Promise<Cost> {
  const deadlineMs = Date.now() + WITHIN_MS
  let costSoFar: (() => Cost) | null = null
  for (;;) {
    const gauges = await gaugesOf(port)
    const startedSec = gauges.get(STARTED)
    const endedSec = gauges.get(ENDED)
    if (startedSec) costSoFar ??= costFromNow(child.pid)
    if (startedSec && endedSec && costSoFar) return { ...costSoFar(), elapsedMs: (endedSec - startedSec) * 1000 }
    if (Date.now() > deadlineMs) throw new Error('Ponder did not come to the end of the chain')
    await sleep(LOOK_EVERY_MS)
  }
}

/** None while its server does not listen yet. */
async function gaugesOf(port: number): Promise<ReadonlyMap<string, number>> {
  const text = await fetch(`http://127.0.0.1:${port}/metrics`).then(
    (response) => response.text(),
    () => '',
  )
  const lines = text.split('\n').map((line) => /^(\w+)(?:\{.*\})? (\S+)$/.exec(line))
  return new Map(lines.flatMap((match) => (match ? [[match[1] ?? '', Number(match[2])] as const] : [])))
}

const compareCount = (databaseUrl: string, events: number): Promise<void> =>
  inPool(databaseUrl, async (sql) => {
    const [counted] = await sql<
      { rows: number }[]
    >`select count(*)::integer as rows from ${sql([INDEXED_BY_PONDER, 'logged_event'].join('.'))}`
    if (counted?.rows !== events) throw new Error(`Ponder has ${counted?.rows} rows of ${events} events`)
  })

/** Contracts that log the same events go by one name; what two ABIs of an address both name is one event, as the follower has it. */
function sourcesOf({ sources, chainId, rpcUrl, startBlock, endBlock }: PonderChain): Sources {
  const byAddress = new Map<Hex, Map<Hex, AbiEvent>>()
  for (const { address, abi } of sources) {
    const events = byAddress.get(address) ?? new Map<Hex, AbiEvent>()
    for (const item of abi) if (item.type === 'event' && !item.anonymous) events.set(toEventSelector(item), item)
    byAddress.set(address, events)
  }
  const alike = Map.groupBy(byAddress, ([, events]) => [...events.keys()].sort().join())
  const contracts = [...alike.values()].map((group, nth) => ({
    name: `Contract${nth}`,
    addresses: group.map(([address]) => address),
    events: [...(group[0]?.[1].values() ?? [])],
  }))
  return { chainId, rpcUrl, startBlock: Number(startBlock), endBlock: Number(endBlock), contracts }
}
