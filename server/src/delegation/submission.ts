import { findPendingIntent, type Intent, insertIntent, insertIntents, type NewIntent } from '../chain/send/intents.ts'
import type { Hex } from '../chain/types.ts'
import type { Tx } from '../db/pool.ts'
import type { Caller } from '../http/caller.ts'
import { AppError } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import type { OneClick } from './one-click.ts'
import { delegationReasons } from './reasons.ts'
import { gasOfDay, gasOfDayAtMost, insertSubmissions, lockBudgets, lockUser } from './submission-store.ts'
import type { CheckedCall } from './submit.ts'

/** The purpose of intents that act for users; only signers that are operators of the pool have it. */
export const SUBMIT_PURPOSE = 'submit'

/** What the calls of one user share: they are sent in order. */
export const orderingKey = (user: Hex): string => `user:${user}`

/** A checked call with the API key that has asked for it. The gas is of the budget of the call's user, whichever key asks. */
export interface Submission {
  readonly keyId: string
  readonly call: CheckedCall
}

/**
 * Stores a checked call as an intent, within the user's budget of gas for 24 hours. The calls of one user are sent by one
 * signer, in the order in which they are stored. Throws `gas_budget_exhausted`.
 *
 * @param dedupeKey of what may be stored once; a request of its own unless given
 */
export async function storeSubmission(
  tx: Tx,
  { oneClick, budget, caller }: { oneClick: OneClick; budget: bigint; caller: Pick<Caller, 'keyId'> },
  call: CheckedCall,
  dedupeKey = ownRequest(),
): Promise<Intent> {
  const { chainId } = oneClick
  const submission = { keyId: caller.keyId, call }
  const used = await openBudgets(tx, chainId, [call.user])
  const refused = (await beyondBudget(tx, chainId, { budget, used }, [submission])).get(submission)
  if (refused) throw refused
  const intent = await insertIntent(tx, intentOf(chainId, call, dedupeKey))
  await insertSubmissions(tx, chainId, [submissionRow(submission, intent)])
  return intent
}

/** A submission with the id that its intent gets. */
export interface NumberedSubmission extends Submission {
  readonly intentId: bigint
}

/**
 * Stores checked calls, whose budgets are open and large enough, in their order. Both statements are under way when it
 * returns, in front of whatever the caller sends next.
 */
export async function storeSubmissions(
  tx: Tx,
  chainId: number,
  submissions: readonly NumberedSubmission[],
): Promise<void> {
  const intents = submissions.map(({ intentId, call }) => ({ ...intentOf(chainId, call, ownRequest()), id: intentId }))
  const rows = submissions.map((submission) => submissionRow(submission, { id: submission.intentId }))
  await Promise.all([insertIntents(tx, intents), insertSubmissions(tx, chainId, rows)])
}

/** Gas that users' submissions of the last 24 hours may use at most. */
export type GasUsed = ReadonlyMap<Hex, bigint>

/** Holds the users' budgets for the rest of the transaction, and says what is used of them: one round trip. */
export async function openBudgets(tx: Tx, chainId: number, users: readonly Hex[]): Promise<GasUsed> {
  // Read once the lock is held: a connection's statements run in the order in which they are sent.
  const [, used] = await Promise.all([lockBudgets(tx, chainId, users), gasOfDayAtMost(tx, chainId, users)])
  return used
}

/**
 * Which of these, in their order, the users' open budgets have no room for, each with its refusal `gas_budget_exhausted`. Only a
 * user who may be near the budget is worth adding up what each submission has really used.
 */
export async function beyondBudget<One extends Submission>(
  tx: Tx,
  chainId: number,
  { budget, used: usedAtMost }: { readonly budget: bigint; readonly used: GasUsed },
  submissions: readonly One[],
): Promise<Map<One, AppError>> {
  const refused = new Map<One, AppError>()
  for (const [user, own] of Map.groupBy(submissions, ({ call }) => call.user)) {
    const needed = own.reduce((sum, { call }) => sum + call.gasReserved, 0n)
    if ((usedAtMost.get(user) ?? 0n) + needed <= budget) continue
    let used = await gasOfDay(tx, chainId, user)
    for (const one of own) {
      const { gasReserved } = one.call
      if (used + gasReserved <= budget) used += gasReserved
      else refused.set(one, exhausted(budget, used, gasReserved))
    }
  }
  return refused
}

function exhausted(budget: bigint, used: bigint, needed: bigint): AppError {
  const left = budget > used ? budget - used : 0n
  const message = `this needs ${needed} gas, and of the ${budget} that sends for this wallet may use in 24 hours ${left} are left`
  return new AppError(delegationReasons.gas_budget_exhausted, message)
}

const ownRequest = (): string => `${SUBMIT_PURPOSE}:${newId()}`

const intentOf = (
  chainId: number,
  { user, to, data, tag, gasLimit, gasReserved }: CheckedCall,
  dedupeKey: string,
): NewIntent => ({
  chainId,
  purpose: SUBMIT_PURPOSE,
  to,
  data,
  dedupeKey,
  orderingKey: orderingKey(user),
  ...(tag === null ? {} : { tag }),
  ...(gasLimit === null ? { leastGas: gasReserved } : { gasLimit }),
})

const submissionRow = ({ keyId, call }: Submission, { id }: Pick<Intent, 'id'>) => ({
  intentId: id,
  apiKeyId: keyId,
  userAddress: call.user,
  gasReserved: call.gasReserved,
})

/** The user's call of the pool that is under way already, if it is exactly this one; of two at once the second sees the first. */
export async function pendingCall(tx: Tx, { chainId }: OneClick, call: CheckedCall): Promise<Intent | null> {
  await lockUser(tx, chainId, call.user)
  return findPendingIntent(tx, chainId, orderingKey(call.user), call)
}
