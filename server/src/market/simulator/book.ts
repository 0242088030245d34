import { inTransaction, type Sql, type Tx } from '../../db/pool.ts'
import type { Clock } from '../../lib/clock.ts'
import { listAppliedSplits } from '../applied-splits.ts'
import { type MatchingRules, match } from './matching.ts'
import { STEP_MS } from './price-path.ts'
import { appendExecution, type BookOrder, lockBook, openBookOrders, updateBookOrder } from './store.ts'

/** Interval at which an idle resting order is stored. */
const WRITE_EVERY_MS = 60 * STEP_MS
/** Works in one transaction; the next ones wait for its commit. */
const MOST_TOGETHER = 64

type Work<T> = (tx: Tx, rules: MatchingRules) => Promise<T>

interface Waiting {
  readonly work: Work<unknown>
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

export interface BookOptions extends Omit<MatchingRules, 'splits'> {
  readonly sql: Sql
  readonly marketClock: Clock
}

/**
 * The simulated broker's books. Every look at them fills first what has fallen due, under a lock: whoever comes while that is
 * under way waits and shares the next transaction, so that many orders at once cost one lock, one look and one commit.
 */
export class Book {
  readonly #options: BookOptions
  readonly #waiting: Waiting[] = []
  #isBusy = false

  constructor(options: BookOptions) {
    this.#options = options
  }

  /** Runs `work` on the locked books after everything due has been filled. What it throws undoes its own writes alone. */
  run<T>(work: Work<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.#waiting.push({ work, resolve, reject })
    if (!this.#isBusy) void this.#runAll()
    return promise
  }

  async #runAll(): Promise<void> {
    this.#isBusy = true
    while (this.#waiting.length > 0) await this.#runTogether(this.#waiting.splice(0, MOST_TOGETHER))
    this.#isBusy = false
  }

  async #runTogether(group: readonly Waiting[]): Promise<void> {
    try {
      const settled = await inTransaction(this.#options.sql, async (tx) => {
        const rules = await this.#opened(tx)
        const [only] = group
        if (only && group.length === 1) return [{ status: 'fulfilled' as const, value: await only.work(tx, rules) }]
        const outcomes: PromiseSettledResult<unknown>[] = []
        for (const { work } of group) outcomes.push(...(await Promise.allSettled([apart(tx, rules, work)])))
        return outcomes
      })
      for (const [nth, { resolve, reject }] of group.entries()) {
        const outcome = settled[nth]
        if (outcome?.status === 'fulfilled') resolve(outcome.value as never)
        else reject(outcome?.reason)
      }
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  /** Locks the books and matches every open order up to now. */
  async #opened(tx: Tx): Promise<MatchingRules> {
    await lockBook(tx)
    const rules = { ...this.#options, splits: await listAppliedSplits(tx) }
    const nowMs = this.#options.marketClock.nowMs()
    for (const order of await openBookOrders(tx)) await carryForward(tx, order, rules, nowMs)
    return rules
  }
}

/** Work whose failure leaves the transaction as it was before. */
const apart = (tx: Tx, rules: MatchingRules, work: Work<unknown>): Promise<unknown> =>
  tx.savepoint((inner) => work(inner, rules))

/** Matches one order up to now and writes down what became of it. */
export async function carryForward(tx: Tx, order: BookOrder, rules: MatchingRules, nowMs: number): Promise<void> {
  const { executions, status, reason, nextMs } = match(order, rules, nowMs)
  if (status === order.status && executions.length === 0 && nextMs - order.fillTimeMs < WRITE_EVERY_MS) return
  for (const execution of executions) await appendExecution(tx, execution)
  const filledQuantityWad = executions.reduce((sum, { quantityWad }) => sum + quantityWad, order.filledQuantityWad)
  await updateBookOrder(tx, order.clientOrderId, {
    status,
    filledQuantityWad,
    fillTimeMs: nextMs,
    rejectReason: reason,
  })
}
