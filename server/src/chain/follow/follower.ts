import type { Sql } from '../../db/pool.ts'
import { sleep } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { ChainProfile } from '../profiles.ts'
import type { Rpc } from '../rpc.ts'
import type { Deployment } from '../types.ts'
import { compileModules } from './decode.ts'
import { loadDiscovered } from './discover.ts'
import type { EventModule } from './event-module.ts'
import { HaltError, ModuleError, messageOf, UndoTableError } from './failures.ts'
import { sourcesOf } from './fetch.ts'
import { createPace, type Pace } from './pace.ts'
import { createRangeSize } from './range.ts'
import { type FollowerReport, writeReport } from './status.ts'
import { loadCheckpoint } from './store.ts'
import { type StepResult, type SyncContext, step, verifyChain } from './sync.ts'
import { installUndo } from './undo.ts'

export interface FollowerOptions {
  readonly sql: Sql
  readonly rpc: Rpc
  readonly profile: ChainProfile
  readonly deployment: Deployment
  readonly modules: readonly EventModule[]
  readonly signal: AbortSignal
  readonly log: Logger
  /** Pause between two looks at the head where no block is due; a quarter of the block time by default. */
  readonly pollMs?: number
  /** Pause between two readings that must agree before a reorganisation is believed. */
  readonly confirmMs?: number
  /** Pause between two attempts of a follower that has halted. */
  readonly haltedRetryMs?: number
}

const MIN_POLL_MS = 50
const MAX_POLL_MS = 1000
const MAX_BACKOFF_MS = 5000
const REPORT_INTERVAL_MS = 1000
/** Failures of a module on one block after which it is no accident. */
const MODULE_ATTEMPTS = 3
const HALTED_RETRY_MS = 30_000

/**
 * Follows the chain into the database until `signal` aborts: indexes history, adds each new block in a transaction of
 * its own, and undoes reorganisations up to the newest final block. Failures of the node and
 * of the database are waited out; what an operator must decide (another chain, a reorganisation below finality, a module
 * that fails on a block) halts it, with everything indexed left readable and the reason in the status. A halted follower
 * tries again every half minute, for ever, and asks the node for its chain before each try: what an operator mends (the
 * node, a fault of the database) needs no restart. It may be killed at any point. Run it under `withLeadership`; a second one is fenced off and changes nothing. Rejects only when a
 * module's table is missing or has no primary key.
 */
export async function runFollower(options: FollowerOptions): Promise<void> {
  const { signal, log, profile } = options
  const report = reporter(options)
  const attempts = new Map<string, number>()
  const pollMs = pollMsOf(options)
  const pace = createPace(pollMs, profile.blockTimeMs)
  let context: SyncContext | null = null
  let isVerified = false
  let failures = 0
  while (!signal.aborted) {
    try {
      context ??= await prepare(options, report)
      if (!isVerified) await verify(context)
      isVerified = true
      const lookedAtMs = Date.now()
      const result = await step(context)
      failures = 0
      await report(result.report)
      const waitMs = nextLookMs(pace, result, lookedAtMs)
      if (waitMs > 0) await sleep(waitMs, signal)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof UndoTableError) throw error
      const halt = haltOf(error, attempts)
      isVerified = false
      if (halt) {
        await stayHalted(options, report, halt)
        continue
      }
      failures++
      log.warn({ err: error, chainId: profile.chainId, failures }, 'the follower could not go on and tries again')
      await report({ state: 'behind', reason: messageOf(error), headNumber: null })
      await sleep(Math.min(MAX_BACKOFF_MS, pollMs * 2 ** Math.min(failures, 8)), signal)
    }
  }
}

/** How long until the next look; after blocks were undone, those that have come instead are looked for at once. */
function nextLookMs(pace: Pace, { idle, report }: StepResult, lookedAtMs: number): number {
  const nowMs = Date.now()
  if (idle) return pace.waitMs(nowMs)
  return report.state === 'following' ? pace.found(lookedAtMs, nowMs) : 0
}

type Reporter = (report: FollowerReport) => Promise<void>

async function prepare(options: FollowerOptions, report: Reporter): Promise<SyncContext> {
  const { sql, rpc, profile, deployment, signal, log } = options
  const modules = compileModules(options.modules, deployment)
  const tables = await installUndo(
    sql,
    options.modules.flatMap((module) => module.tables),
  )
  const sources = sourcesOf(modules.flatMap((compiled) => [...compiled.sources.keys()]))
  await loadDiscovered(sql, profile.chainId, { modules, sources })
  return {
    sql,
    rpc,
    profile,
    signal,
    log,
    modules,
    tables,
    sources,
    report,
    chainId: profile.chainId,
    startBlock: deployment.startBlock,
    range: createRangeSize(profile.logsRangeBlocks),
    checkpoint: null,
    unserved: 0,
    confirmMs: options.confirmMs ?? pollMsOf(options),
  }
}

async function verify(context: SyncContext): Promise<void> {
  const checkpoint = await loadCheckpoint(context.sql, context.chainId)
  await verifyChain(context, checkpoint?.genesisHash ?? null)
}

const pollMsOf = ({ pollMs, profile }: FollowerOptions): number =>
  pollMs ?? Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, profile.blockTimeMs / 4))

/** Writes a report when it says something new, else once a second; a report that cannot be written is let go. */
function reporter({ sql, profile, log }: FollowerOptions): Reporter {
  let last = ''
  let writtenAtMs = 0
  return async (report) => {
    const text = `${report.state} ${report.reason}`
    if (text === last && Date.now() - writtenAtMs < REPORT_INTERVAL_MS) return
    try {
      await writeReport(sql, profile.chainId, report)
      last = text
      writtenAtMs = Date.now()
    } catch (error) {
      log.debug({ err: error, chainId: profile.chainId }, 'the follower could not write its report')
    }
  }
}

/** Whether a failure ends the following: another chain, a reorganisation below finality, or a module at its last attempt. */
function haltOf(error: unknown, attempts: Map<string, number>): HaltError | null {
  if (error instanceof HaltError) return error
  if (!(error instanceof ModuleError)) return null
  const count = (attempts.get(error.blockHash) ?? 0) + 1
  attempts.set(error.blockHash, count)
  return count < MODULE_ATTEMPTS ? null : new HaltError('module_failed', error.message, { cause: error.cause })
}

/**
 * Says why until the next try. The leadership is kept: a standby would only repeat the attempt. A block that a module
 * failed on keeps its count, so that one more failure halts again.
 */
async function stayHalted(options: FollowerOptions, report: Reporter, halt: HaltError): Promise<void> {
  const { signal, log, profile, haltedRetryMs = HALTED_RETRY_MS } = options
  const retrySec = Math.ceil(haltedRetryMs / 1000)
  log.error({ err: halt, chainId: profile.chainId, cause: halt.haltCause, retrySec }, 'the follower has halted')
  const untilMs = Date.now() + haltedRetryMs
  while (!signal.aborted && Date.now() < untilMs) {
    await report({ state: 'halted', reason: `${halt.message} (tried again every ${retrySec} s)`, headNumber: null })
    await sleep(Math.min(REPORT_INTERVAL_MS, Math.max(0, untilMs - Date.now())), signal)
  }
}
