import { reserveIntentIds } from '../chain/send/intents.ts'
import type { Hex } from '../chain/types.ts'
import type { Tx } from '../db/pool.ts'
import { giveUpKeys, type KeyedRequest, takeKeys } from '../http/idempotency.ts'
import { AppError } from '../lib/errors.ts'
import { beyondBudget, type GasUsed, openBudgets, storeSubmissions } from './submission.ts'
import type { CheckedCall } from './submit.ts'

/** What a product keeps of a send, with the id under which the send is waited for. */
export interface Kept {
  readonly id: string
}

/** What a send must find in the tables when it is stored. */
export interface Guard {
  /** Sends with the same key are never stored together: each must see the ones before it. */
  readonly key: string
  /** Locks what it looks at until the transaction ends, and changes nothing. Throws an `AppError`, which refuses the send alone. */
  check(tx: Tx): Promise<void>
}

/** A send that the chain would execute now, ready to be stored. */
export interface ReadySend<Product extends Kept> extends KeyedRequest {
  readonly checked: CheckedCall
  readonly kept: Product
  readonly guard: Guard | null
  /** Aborts when its caller has gone away. */
  readonly gone?: AbortSignal | undefined
}

/** A send with its intent, of which the product's part is still to be stored. */
export interface SentSend<Product extends Kept> {
  readonly kept: Product
  readonly intentId: bigint
  readonly apiKeyId: string
  readonly user: Hex
}

export interface GroupSettings<Product extends Kept> {
  readonly chainId: number
  /** Gas that the sends for a wallet may use in 24 hours. */
  readonly budget: bigint
  /** Stores what the product keeps of these sends, in one statement that is under way when it returns. */
  keep(tx: Tx, sends: readonly SentSend<Product>[]): Promise<void>
}

/** What the record of an `Idempotency-Key` holds. */
interface Result {
  readonly claimId: string
}

/** Gives the id under which the send is waited for, or throws why it is refused. */
export type Outcome = () => string

/**
 * Stores sends in one transaction, each with its record, its intent, its submission and what the product keeps. Each statement
 * serves all of them, and they go to the database in two round trips: what must be known, then what is stored. A send that is
 * refused, or repeats one that is stored, leaves nothing, and does no other any harm. No two may have one `Idempotency-Key` of a
 * key or one guard. Throws when the database refuses any of them: then none is stored.
 */
export async function storeGroup<Product extends Kept>(
  tx: Tx,
  settings: GroupSettings<Product>,
  sends: readonly ReadySend<Product>[],
): Promise<Map<ReadySend<Product>, Outcome>> {
  const { chainId, budget } = settings
  const outcomes = new Map<ReadySend<Product>, Outcome>()
  const [earlier, used, intentIds] = await openGroup(tx, chainId, sends)
  for (const [send, first] of earlier) outcomes.set(send, () => first().claimId)
  const own = sends.filter((send) => !outcomes.has(send))
  const refused = await refusals(tx, chainId, { budget, used }, own)
  if (refused.size > 0) await giveUpKeys(tx, chainId, [...refused.keys()])
  for (const [send, error] of refused) {
    outcomes.set(send, () => {
      throw error
    })
  }
  const accepted = own.filter((send) => !refused.has(send))
  if (accepted.length > 0) await storeAccepted(tx, settings, accepted, intentIds)
  for (const send of accepted) outcomes.set(send, () => send.kept.id)
  return outcomes
}

/** Takes the keys of the sends and holds the budgets of their users, in one round trip. */
function openGroup<Product extends Kept>(tx: Tx, chainId: number, sends: readonly ReadySend<Product>[]) {
  const resultOf = ({ kept }: ReadySend<Product>): Result => ({ claimId: kept.id })
  const users = [...new Set(sends.map(({ checked }) => checked.user))]
  return Promise.all([
    takeKeys(tx, chainId, sends, resultOf),
    openBudgets(tx, chainId, users),
    reserveIntentIds(tx, sends.length),
  ])
}

/** Stores the sends, in one round trip. */
async function storeAccepted<Product extends Kept>(
  tx: Tx,
  { chainId, keep }: GroupSettings<Product>,
  accepted: readonly ReadySend<Product>[],
  intentIds: readonly bigint[],
): Promise<void> {
  const sent = accepted.map(({ kept, caller: { keyId }, checked }, nth) => {
    const intentId = intentIds[nth] as bigint
    return {
      submission: { intentId, keyId, call: checked },
      kept: { intentId, kept, apiKeyId: keyId, user: checked.user },
    }
  })
  const submissions = sent.map(({ submission }) => submission)
  const ofProduct = sent.map(({ kept }) => kept)
  await Promise.all([storeSubmissions(tx, chainId, submissions), keep(tx, ofProduct)])
}

/** Which of the sends may not be stored, each with its reason; holds what that depends on until the transaction ends. */
async function refusals<Product extends Kept>(
  tx: Tx,
  chainId: number,
  budgets: { readonly budget: bigint; readonly used: GasUsed },
  sends: readonly ReadySend<Product>[],
): Promise<Map<ReadySend<Product>, AppError>> {
  const refused = new Map<ReadySend<Product>, AppError>()
  const guarded = sends.flatMap((send) => (send.guard ? [{ send, guard: send.guard }] : []))
  // Checked in one order by all, so that no two transactions wait for each other.
  for (const { send, guard } of guarded.sort((a, b) => (a.guard.key < b.guard.key ? -1 : 1))) {
    const error = await guard.check(tx).then(() => null, appErrorOf)
    if (error) refused.set(send, error)
  }
  const left = sends.filter((send) => !refused.has(send))
  const submissions = left.map((send) => ({ keyId: send.caller.keyId, call: send.checked, send }))
  for (const [{ send }, error] of await beyondBudget(tx, chainId, budgets, submissions)) refused.set(send, error)
  return refused
}

function appErrorOf(error: unknown): AppError {
  if (error instanceof AppError) return error
  throw error
}
