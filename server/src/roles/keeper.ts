import { Counter, type Registry } from 'prom-client'
import { BLOCKS_CHANNEL } from '../chain/follow/store.ts'
import { beatAtHints } from '../db/hints.ts'
import { type Leadership, withLeadership } from '../db/locks.ts'
import type { Task, Venue } from '../http/product.ts'
import { sleep } from '../lib/clock.ts'
import { Pulse } from '../lib/pulse.ts'
import { forgetOtherTasks, type TaskHealth, writeTaskHealth } from './keeper-status.ts'
import type { RoleContext } from './role.ts'

const REPORT_INTERVAL_MS = 1000
/** A block wakes the tasks a little later, so that those who wait for its messages are served first. */
const AFTER_BLOCK_MS = 50

/**
 * The role keeper: runs every task at its interval, in one process at a time. Resolves when each has ended its round.
 *
 * @param tasksOf makes the tasks anew each time that this process takes the lead: what one remembers of the database must not outlive
 * the session that held the lock, as a database that took over may lack newest rows and give their ids out again
 */
export async function runKeeper(context: RoleContext, tasksOf: () => readonly Task[]): Promise<void> {
  const { venue, profile, signal, metrics } = context
  const failures = failureCounter(metrics)
  const keep = async ({ sql, signal: held }: Leadership) => {
    const led = { ...venue, sql }
    const tasks = tasksOf()
    const healths = tasks.map(({ name }) => newHealth(name))
    const pulse = new Pulse()
    const rounds = tasks.map((task, index) => {
      const health = healths[index] as TaskHealth
      return repeat(task, { venue: led, pulse, signal: held, health, failed: () => failures.inc({ task: task.name }) })
    })
    await Promise.all([
      ...rounds,
      report(led, profile.chainId, held, healths),
      beatAtHints(venue, BLOCKS_CHANNEL, pulse, held, { delayMs: AFTER_BLOCK_MS }),
    ])
  }
  await withLeadership(venue.sql, `bourse.keeper.${profile.chainId}`, signal, keep, { log: venue.log })
}

/** `bourse_keeper_failures_total`, in the process of the keeper alone. */
export const failureCounter = (registry: Registry): Counter<'task'> =>
  new Counter({
    name: 'bourse_keeper_failures_total',
    help: 'Rounds of a keeper task that failed and are tried again.',
    labelNames: ['task'],
    registers: [registry],
  })

const newHealth = (task: string): TaskHealth => ({
  task,
  rounds: 0,
  failuresInARow: 0,
  lastError: null,
  lastSuccessAt: null,
})

interface Rounds {
  readonly venue: Venue
  readonly pulse: Pulse
  readonly signal: AbortSignal
  readonly health: TaskHealth
  failed(): void
}

/**
 * One task, round after round. A round that fails (a node or a broker that does not answer) is logged and tried again:
 * every task is safe to repeat, and one that fails must not stop the others.
 */
async function repeat(task: Task, { venue, pulse, signal, health, failed }: Rounds): Promise<void> {
  const { intervalMs, quietMs = intervalMs } = task
  while (!signal.aborted) {
    const { beats } = pulse
    let isWaiting = false
    try {
      const end = await task.run(venue)
      isWaiting = end === 'waiting'
      if (end === 'changed') pulse.beat()
      health.failuresInARow = 0
      health.lastSuccessAt = new Date(venue.clock.nowMs())
    } catch (error) {
      if (signal.aborted) return
      failed()
      health.failuresInARow++
      health.lastError = error instanceof Error ? error.message : String(error)
      venue.log.error({ err: error, task: task.name }, 'a round of a keeper task failed and is tried again')
    }
    health.rounds++
    await sleep(intervalMs, signal)
    if (!isWaiting) await pulse.after(beats, quietMs - intervalMs, signal)
  }
}

/** Shows the tasks' health to the other roles, and only theirs; a report that cannot be written is let go. */
async function report(venue: Venue, chainId: number, signal: AbortSignal, healths: readonly TaskHealth[]) {
  let othersForgotten = false
  while (!signal.aborted) {
    try {
      if (!othersForgotten) await forgetOtherTasks(venue.sql, chainId, healths)
      othersForgotten = true
      await writeTaskHealth(venue.sql, chainId, healths)
    } catch (err) {
      venue.log.debug({ err }, 'the keeper could not write its report')
    }
    await sleep(REPORT_INTERVAL_MS, signal)
  }
}
