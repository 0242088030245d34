import { classifySimulation } from '../../chain/send/classify.ts'
import { busyOrderingKeys } from '../../chain/send/ended-intents.ts'
import { insertIntent } from '../../chain/send/intents.ts'
import { signersFor } from '../../chain/send/status.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
import { Backoff } from '../../lib/backoff.ts'
import { earlierAttempts, revertsInARow } from './chore-store.ts'
import type { Pair } from './survey.ts'

export const KEEPER_PURPOSE = 'perp-keeper'
const ORDERING_KEY = 'perp.keeper:'
const MAX_DELAY_MS = 60_000

/** One transaction that the keeper wants to be sent. */
export interface Chore {
  /** What it acts on, such as an account in a pair: one transaction at a time. */
  readonly subject: string
  /** The state of that which it was decided on: of one state it is sent once, unless it failed. */
  readonly state: string
  readonly to: Hex
  readonly data: Hex
}

/** What a call came to at the node's head: what it returned, or null where it reverted. */
export type Simulated = Hex | null

/** What an account in a pair is called by in a chore's subject. */
export const accountSubject = (what: string, { instrument, expiry }: Pair, account: Hex): string =>
  `${what}:${instrument.address}:${expiry}:${account}`

/**
 * How the keeper's transactions come to be: run against the chain before they are stored, stored as intents, one at a time for
 * each subject; after one that failed the next waits. What it remembers may be lost, as a killed process loses it: the same state
 * then meets its own intent again.
 */
export class Chores {
  readonly #backoff = new Backoff(MAX_DELAY_MS)
  /** Failures that count already. */
  readonly #seenFailing = new Set<bigint>()

  /** Subjects with something on its way. Asked before the chain is read, so that what has ended is to be seen there. */
  async busy({ sql, deployment }: Venue): Promise<ReadonlySet<string>> {
    const keys = await busyOrderingKeys(sql, deployment.chainId, ORDERING_KEY)
    return new Set([...keys].map((key) => key.slice(ORDERING_KEY.length)))
  }

  /** The account that sends; null while no relayer has a key for it, and there is nobody to work for. */
  async sender({ sql, deployment }: Venue): Promise<Hex | null> {
    return (await signersFor(sql, deployment.chainId, KEEPER_PURPOSE))[0] ?? null
  }

  /** Whether something may be tried of this subject now. */
  isDue({ clock }: Venue, subject: string): boolean {
    return this.#backoff.isDue(subject, clock.nowMs())
  }

  /** Takes note that nothing could be done. */
  fail({ clock }: Venue, subject: string): void {
    this.#backoff.fail(subject, clock.nowMs())
  }

  /** How many transactions about the subject the chain has reverted since the last one that succeeded, whatever state they were of. */
  reverts({ sql, deployment }: Venue, subject: string): Promise<number> {
    return revertsInARow(sql, deployment.chainId, `${ORDERING_KEY}${subject}`)
  }

  /** Runs calls of the sender at the node's head. Throws `RpcError` when the node does not answer. */
  async simulate({ rpc }: Venue, from: Hex, calls: readonly Pick<Chore, 'to' | 'data'>[]): Promise<Simulated[]> {
    const requests = calls.map(({ to, data }) => ({ method: 'eth_call', params: [{ from, to, data }, 'latest'] }))
    const outcomes = await rpc.outcomes<Hex>(requests)
    return outcomes.map((outcome) => {
      if (outcome.ok) return outcome.value
      if (classifySimulation(outcome.error).kind === 'unavailable') throw outcome.error
      return null
    })
  }

  /** Stores a chore for the relayer, unless the same was done of this state before; after a failure it waits. */
  async send(venue: Venue, { subject, state, to, data }: Chore): Promise<void> {
    const { chainId } = venue.deployment
    const orderingKey = `${ORDERING_KEY}${subject}`
    const { attempts, last } = await earlierAttempts(venue.sql, chainId, { orderingKey, state })
    if (last !== null && !last.hasFailed) return
    if (last !== null && !this.#seenFailing.has(last.id)) {
      this.#seenFailing.add(last.id)
      venue.log.warn({ intentId: String(last.id), subject, why: last.problem }, 'a chore of the keeper failed')
      // The relayer may have looked at the block before the one that made it due: it is asked once more at once.
      const isRepeatable = last.wasRejected && attempts === 1
      if (!isRepeatable) return this.fail(venue, subject)
    }
    const dedupeKey = `${orderingKey}:${state}:${attempts}`
    await insertIntent(venue.sql, { chainId, purpose: KEEPER_PURPOSE, to, data, orderingKey, dedupeKey })
  }
}
