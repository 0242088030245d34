import postgres from 'postgres'
import type { Hex } from '../chain/types.ts'
import { inTransaction, type Sql } from '../db/pool.ts'
import { type GroupSettings, type Kept, type Outcome, type ReadySend, storeGroup } from './send-group.ts'
import { abandoned } from './send-queue.ts'

/** One is stored while the next one forms; more would only make them smaller. */
const GROUPS_AT_ONCE = 2
/** Sends of one group: as many as are checked at once. */
const SENDS_AT_ONCE = 64
/** How long a group waits for a lock that a single send may be the only one to need. */
const LOCK_WAIT_MS = 1000

interface Place<Product extends Kept> {
  readonly send: ReadySend<Product>
  readonly resolve: (claimId: string) => void
  readonly reject: (error: unknown) => void
}

/**
 * Where sends of one product wait to be stored: those that wait at the same time go together, in one transaction. Of one
 * wallet they stay in the order in which they came.
 */
export class SendGroups<Product extends Kept> {
  readonly #sql: Sql
  readonly #settings: GroupSettings<Product>
  #waiting: Place<Product>[] = []
  /** The wallets of each group that is being stored: those of one wait here, not for each other's lock of its budget. */
  readonly #active = new Set<ReadonlySet<Hex>>()

  constructor(sql: Sql, settings: GroupSettings<Product>) {
    this.#sql = sql
    this.#settings = settings
  }

  /**
   * Stores a send; resolves to the id under which it is waited for, once it is there for good. Throws `send_abandoned`,
   * `gas_budget_exhausted`, `idempotency_key_reused`, what its guard throws; nothing is stored then.
   */
  store(send: ReadySend<Product>): Promise<string> {
    const stored = new Promise<string>((resolve, reject) => this.#waiting.push({ send, resolve, reject }))
    // Those whose checks were answered together come together.
    setImmediate(() => this.#next())
    return stored
  }

  #next(): void {
    while (this.#active.size < GROUPS_AT_ONCE && this.#waiting.length > 0) {
      const group = this.#take()
      if (group.length === 0) return
      const users = new Set(group.map(({ send }) => send.checked.user))
      this.#active.add(users)
      void this.#store(group).finally(() => {
        this.#active.delete(users)
        this.#next()
      })
    }
  }

  /** Those that came first and can be stored together; none of a wallet of which some are being stored. */
  #take(): Place<Product>[] {
    const [gone, here] = partition(this.#waiting, ({ send }) => send.gone?.aborted === true)
    for (const { reject } of gone) reject(abandoned())
    const names = new Set<string>()
    let sends = 0
    const heldUsers = new Set([...this.#active].flatMap((users) => [...users]))
    const [group, later] = partition(here, ({ send }) => {
      const { user } = send.checked
      const own = namesOf(send)
      const fits = sends < SENDS_AT_ONCE && !heldUsers.has(user) && own.every((name) => !names.has(name))
      // What came later of the same wallet stays behind it.
      if (!fits) heldUsers.add(user)
      else {
        sends++
        for (const name of own) names.add(name)
      }
      return fits
    })
    this.#waiting = later
    return group
  }

  async #store(group: readonly Place<Product>[]): Promise<void> {
    const failed = await this.#storeTogether(group)
    if (failed === null) return
    if (group.length === 1 || failed.mayBeStored) rejectAll(group, failed.error)
    else await this.#storeEach(group)
  }

  /** What the database refuses one of them is none of the others' business. */
  async #storeEach(group: readonly Place<Product>[]): Promise<void> {
    for (const [nth, place] of group.entries()) {
      const failed = await this.#storeTogether([place])
      if (failed) place.reject(failed.error)
      // It does not answer at all: the others need not wait for that one by one.
      if (failed && !(failed.error instanceof postgres.PostgresError))
        return rejectAll(group.slice(nth + 1), failed.error)
    }
  }

  /** Null once each of the group has its answer. */
  async #storeTogether(group: readonly Place<Product>[]): Promise<{ error: unknown; mayBeStored: boolean } | null> {
    const sends = group.map(({ send }) => send)
    let mayBeStored = false
    try {
      const outcomes = await inTransaction(this.#sql, async (tx) => {
        // Sent in one breath: the look of a group is held up by no lock for longer than that.
        const bounded =
          group.length > 1 && tx`select set_config('lock_timeout', ${String(LOCK_WAIT_MS)}, true)`.execute()
        const [stored] = await Promise.all([storeGroup(tx, this.#settings, sends), bounded])
        // From here on the commit may succeed without our hearing of it.
        mayBeStored = true
        return stored
      })
      for (const place of group) answer(place, outcomes.get(place.send))
      return null
    } catch (error) {
      return { error, mayBeStored }
    }
  }
}

function rejectAll<Product extends Kept>(group: readonly Place<Product>[], error: unknown): void {
  for (const { reject } of group) reject(error)
}

function answer<Product extends Kept>({ resolve, reject }: Place<Product>, outcome: Outcome | undefined): void {
  try {
    if (!outcome) throw new Error('a send was left out of its group')
    resolve(outcome())
  } catch (error) {
    reject(error)
  }
}

/** What no two sends of a group may share. */
function namesOf<Product extends Kept>({ caller, idempotency, guard }: ReadySend<Product>): string[] {
  return [...(idempotency ? [`${caller.keyId} ${idempotency.key}`] : []), ...(guard ? [guard.key] : [])]
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  const first: T[] = []
  const others: T[] = []
  for (const one of all) (isFirst(one) ? first : others).push(one)
  return [first, others]
}
