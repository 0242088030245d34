import type postgres from 'postgres'
import { inTime } from '../lib/in-time.ts'
import { createPool, type Sql } from './pool.ts'

const END_WITHIN_SEC = 5
/** The pool's own sessions, apart from those that a test opens with the pool's options. */
export const KEPT = 'test-pool'
const MAX_SESSIONS = 10

/** Puts a session back to how it began: settings, locks, cursors and temporary tables. What it has planned stays. */
const RESET = 'close all; reset all; select pg_advisory_unlock_all(); discard temp'

/** The pool as one test has it. */
export interface LentPool {
  readonly sql: Sql
  /** Ends it for the test. True where it can be lent again: nothing of the test runs on, and its sessions are as they began. */
  giveBack(): Promise<boolean>
}

/**
 * A pool that outlives the tests that use it: opening sessions and planning the same statements anew was nearly a third of the processor
 * time of the tests on a database.
 */
export class KeptPool {
  readonly #url: string
  readonly #pool: Sql
  /** What a test does with its pool after it has given it back is refused as by any ended pool. */
  readonly #ended: Sql

  constructor(url: string) {
    this.#url = url
    this.#pool = this.#open(KEPT, MAX_SESSIONS)
    this.#ended = this.#open(KEPT, 1)
  }

  /** For one test. What it listens to has a connection of its own, as in any pool. */
  lend(applicationName: string): LentPool {
    const listener = this.#open(applicationName, 1)
    let [pool, isEnded] = [this.#pool, false]
    const end = async (options?: { timeout?: number }) => {
      isEnded = true
      await Promise.all([pool.end(options), listener.end(options)])
    }
    // What this test has by itself, and puts in the place of what a pool does.
    const own = Object.assign(() => {}, { listen: listener.listen, options: listener.options, end })
    const sql = new Proxy(own as unknown as Sql, {
      apply: (_, self, args) => Reflect.apply(pool, self, args) as unknown,
      get: (_, name) => Reflect.get(Object.hasOwn(own, name) ? own : pool, name) as unknown,
    })
    const giveBack = async () => {
      await Promise.all([listener.end({ timeout: END_WITHIN_SEC }), this.#ended.end()])
      pool = this.#ended
      return !isEnded && (await inTime(this.#reset(), END_WITHIN_SEC * 1000, 'resetting sessions').catch(() => false))
    }
    return { sql, giveBack }
  }

  async end(): Promise<void> {
    await this.#pool.end({ timeout: END_WITHIN_SEC })
  }

  #open(applicationName: string, maxConnections: number): Sql {
    return createPool({ url: this.#url, maxConnections, applicationName })
  }

  /**
   * Takes as many sessions as are open. One in which something still runs is not among them: another is opened in its place, and
   * there is one more than before.
   */
  async #reset(): Promise<boolean> {
    const open = await this.#sessions()
    const taken: postgres.ReservedSql[] = []
    while (taken.length < open) taken.push(await this.#pool.reserve())
    await Promise.all(taken.map((session) => session.unsafe(RESET)))
    for (const session of taken) session.release()
    return (await this.#sessions()) === open
  }

  async #sessions(): Promise<number> {
    const [row] = await this.#pool<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and application_name = ${KEPT} and backend_type = 'client backend'`
    return row?.count ?? 0
  }
}
