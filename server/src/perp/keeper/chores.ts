import { isCanonical } from '../../chain/canonical.ts'
import { readOutcomes } from '../../chain/halves.ts'
import { classifySimulation } from '../../chain/send/classify.ts'
import { insertIntent } from '../../chain/send/intents.ts'
import { signersFor } from '../../chain/send/status.ts'
import type { Hex } from '../../chain/types.ts'
import type { Venue } from '../../http/product.ts'
import { Backoff } from '../../lib/backoff.ts'
import {
  busyChores,
  earlierAttempts,
  type LastOnChain,
  lastOnChain,
  queuedChores,
  revertsInARow,
} from './chore-store.ts'
import type { Pair } from './survey.ts'

export const KEEPER_PURPOSE = 'perp-keeper'
const ORDERING_KEY = 'perp.keeper:'
const MAX_DELAY_MS = 60_000

/** One transaction that the keeper wants to be sent. */
export interface Chore {
  /** What it acts on, such as an account in a pair: one transaction at a time. */
  readonly subject: string
  /**
   * The state of that which it was decided on. It may come back: a range is added again as it was.
   */
  readonly state: string
  /** That the state has a time in it, for which one that succeeded is enough. */
  readonly isOnce?: true
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

  /** Subjects with something on its way, or mined above the block that was read. Asked after that: what ends meanwhile is above it. */
  async busy({ sql, deployment }: Venue, blockNumber: bigint): Promise<ReadonlySet<string>> {
    return subjectsOf(await busyChores(sql, deployment.chainId, ORDERING_KEY, blockNumber))
  }

  /** Subjects with something stored that the relayer has not signed yet. */
  async queued({ sql, deployment }: Venue): Promise<ReadonlySet<string>> {
    return subjectsOf(await queuedChores(sql, deployment.chainId, KEEPER_PURPOSE, ORDERING_KEY))
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
    const outcomes = await readOutcomes<Hex>(rpc, requests)
    return outcomes.map((outcome) => {
      if (outcome.ok) return outcome.value
      if (classifySimulation(outcome.error).kind === 'unavailable') throw outcome.error
      return null
    })
  }

  /**
   * Stores a chore for the relayer, unless what was done of its subject before, in whichever state, is not to be seen in the block that the
   * state was read at; after a failure it waits.
   */
  async send(venue: Venue, { subject, state, isOnce, to, data }: Chore, blockNumber: bigint): Promise<void> {
    const { chainId } = venue.deployment
    const orderingKey = `${ORDERING_KEY}${subject}`
    const { attempts, last } = await earlierAttempts(venue.sql, chainId, { orderingKey, state })
    if (isOnce && last !== null && !last.hasFailed) return
    // A reorganisation may have taken away what was mined: it comes back, and the state is that from before it.
    const before = await lastOnChain(venue.sql, chainId, orderingKey)
    if (before !== null && !(await isSeen(venue, before, blockNumber))) return
    if (last?.hasFailed && !this.#seenFailing.has(last.id)) {
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

const subjectsOf = (keys: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...keys].map((key) => key.slice(ORDERING_KEY.length)))

/** Whether a block shows what an intent has done: it is mined in it or below, and not in a block that the node has left. */
async function isSeen({ rpc }: Venue, { block, isFinal }: LastOnChain, shown: bigint): Promise<boolean> {
  if (block === null || block.number > shown) return false
  return isFinal || (await isCanonical({ rpc }, block))
}
