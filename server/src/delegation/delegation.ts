import { encodeFunctionData } from 'viem'
import { boundUser } from '../auth/bound-user.ts'
import { authReasons } from '../auth/reasons.ts'
import { operatorPoolAbi } from '../chain/abi/operator-pool.ts'
import { countPendingIntents, getIntent, type Intent, listAttempts } from '../chain/send/intents.ts'
import { OUT_OF_GAS } from '../chain/send/out-of-gas.ts'
import type { Hex } from '../chain/types.ts'
import { idempotent } from '../http/idempotency.ts'
import type { RouteRequest, Venue } from '../http/product.ts'
import { httpReasons } from '../http/reasons.ts'
import { formatUnits } from '../lib/decimal.ts'
import { AppError } from '../lib/errors.ts'
import { WAD_DECIMALS } from '../lib/wad.ts'
import { ANSWER_WITHIN_MS, FirstAnswers } from './first-answer.ts'
import { delegationReasons } from './reasons.ts'
import { type RouterState, readRouterState } from './router-state.ts'
import { requireSignature } from './signature.ts'
import { findDelegation } from './store.ts'
import { orderingKey, pendingCall, storeSubmission } from './submission.ts'
import { type CheckedCall, checkPoolCall, type SubmitContext } from './submit.ts'
import { delegateDigest, signPayload } from './typed-data.ts'
import { refusedByChain } from './would-revert.ts'

/** Why any operation of One Click may fail. */
export const ONE_CLICK_REASONS = [
  authReasons.key_not_bound,
  delegationReasons.chain_not_answering,
  delegationReasons.one_click_unavailable,
] as const

/** Why an operation that has the relayer send something may fail. */
export const CHANGE_REASONS = [
  ...ONE_CLICK_REASONS,
  delegationReasons.would_revert,
  delegationReasons.gas_budget_exhausted,
  httpReasons.idempotency_key_reused,
] as const

/** Largest deadline of a delegation: 32 bits. */
const UINT32_MAX = 4_294_967_295

/** A change of a delegation is answered when it is mined, and blocks are seconds apart. */
const CHANGE_PAUSE_MS = 100

/** One Click of a product, as its routes use it. */
export interface DelegationContext extends SubmitContext {
  readonly venue: Pick<Venue, 'sql' | 'rpc' | 'clock'>
  /** Gas that the submissions for one user may use in 24 hours. */
  readonly budget: bigint
}

/** Whether a change has been mined: `pending` says that it is on its way (GET status tells when it is there). */
export interface DelegationChange {
  readonly status: 'enable' | 'disabled' | 'pending'
  /** Null while it is not signed yet, or when there was nothing to do. */
  readonly txHash: Hex | null
}

/** The state of the bound user's delegation, read from the router (seed 4A), with the block that it is of. Throws `key_not_bound`, `chain_not_answering`. */
export async function delegationStatus(
  { venue, oneClick }: DelegationContext,
  { caller }: Pick<RouteRequest, 'caller'>,
) {
  const user = boundUser(caller)
  const { delegatee, nonce, block, ...state } = await readRouterState(venue.rpc, oneClick, user)
  const indexed = await findDelegation(venue.sql, oneClick.chainId, oneClick.router, user)
  const delegation = {
    status: delegatee === oneClick.pool ? ('enable' as const) : ('disabled' as const),
    delegatee: oneClick.pool,
    delegatedTo: delegatee,
    nonce: Number(nonce),
    endsAt: delegatee === null ? null : state.endsAtSec,
    dailyAmount: formatUnits(state.dailyAmountWad, WAD_DECIMALS),
    availableAmount: formatUnits(state.availableWad, WAD_DECIMALS),
    updatedAt: indexed ? Number(indexed.changedAtSec) : null,
    txHash: indexed?.changedTxHash ?? null,
  }
  return { block, delegation }
}

/**
 * What the bound user signs to enable One Click until `deadlineSec`, with the block of its nonce; nothing changes. Throws `key_not_bound`,
 * `delegation_deadline_expired`, `chain_not_answering`.
 */
export async function prepareDelegation(
  { venue, oneClick }: DelegationContext,
  { caller }: Pick<RouteRequest, 'caller'>,
  deadlineSec: number,
) {
  const user = boundUser(caller)
  const state = await readRouterState(venue.rpc, oneClick, user)
  requireDeadline(venue, state, deadlineSec)
  const delegate = { user, delegatee: oneClick.pool, nonce: state.nonce, deadlineSec }
  const payload = signPayload(oneClick, delegate)
  const terms = { delegatee: oneClick.pool, signPayload: payload, nonce: Number(state.nonce), deadline: deadlineSec }
  return { block: state.block, terms }
}

/**
 * Enables One Click by the bound user's signature: `OperatorPool.enable`, sent by the relayer. Answers once that is mined,
 * or `pending` after two seconds. Throws `key_not_bound`, `delegation_deadline_expired`, `delegation_signature_invalid`,
 * `would_revert`, `gas_budget_exhausted`, `one_click_unavailable`, `chain_not_answering`; the state is then unchanged.
 */
export function enableDelegation(
  context: DelegationContext,
  request: Pick<RouteRequest, 'caller' | 'idempotency'>,
  { signature, deadlineSec }: { readonly signature: Hex; readonly deadlineSec: number },
): Promise<DelegationChange> {
  const { venue, oneClick } = context
  return change(context, request, 'enable', async () => {
    const user = boundUser(request.caller)
    const state = await readRouterState(venue.rpc, oneClick, user)
    requireDeadline(venue, state, deadlineSec)
    const digest = delegateDigest(oneClick, { user, delegatee: oneClick.pool, nonce: state.nonce, deadlineSec })
    await requireSignature(context, { user, isContract: state.isContract }, digest, signature)
    const args = [oneClick.router, user, deadlineSec, signature] as const
    return checkPoolCall(context, user, encodeFunctionData({ abi: operatorPoolAbi, functionName: 'enable', args }))
  })
}

/**
 * Ends One Click: `OperatorPool.disable`, sent by the relayer; nothing is sent when the venue is not the delegatee, and it is refused while an
 * enable may be on its way.
 * Answers as `enableDelegation`. Throws `key_not_bound`, `would_revert`, `gas_budget_exhausted`,
 * `one_click_unavailable`, `chain_not_answering`.
 */
export function disableDelegation(
  context: DelegationContext,
  request: Pick<RouteRequest, 'caller' | 'idempotency'>,
): Promise<DelegationChange> {
  const { venue, oneClick } = context
  return change(context, request, 'disabled', async () => {
    const user = boundUser(request.caller)
    // Before the look at the chain: an enable that is mined in between is seen there.
    const pending = await countPendingIntents(venue.sql, oneClick.chainId, orderingKey(user))
    const { delegatee } = await readRouterState(venue.rpc, oneClick, user)
    if (delegatee !== oneClick.pool && pending > 0) throw enableMayFollow(pending)
    if (delegatee !== oneClick.pool) return null
    const args = [oneClick.router, user] as const
    return checkPoolCall(context, user, encodeFunctionData({ abi: operatorPoolAbi, functionName: 'disable', args }))
  })
}

/** Nothing to end yet, and something on its way that may begin it: "disabled" would not stay true. */
const enableMayFollow = (pending: number): AppError =>
  new AppError(
    delegationReasons.would_revert,
    `One Click is not enabled on chain, but ${pending} earlier call(s) of the user are not mined yet and may enable it: disable it once the status shows them done`,
  )

/** Stores the call that `prepare` has checked, null when there is nothing to do, and waits for it. */
async function change(
  context: DelegationContext,
  request: Pick<RouteRequest, 'caller' | 'idempotency'>,
  done: 'enable' | 'disabled',
  prepare: () => Promise<CheckedCall | null>,
): Promise<DelegationChange> {
  const { venue, oneClick, budget } = context
  const deadlineMs = Date.now() + ANSWER_WITHIN_MS
  const { intentId } = await idempotent(venue.sql, oneClick.chainId, request, {
    prepare,
    async store(tx, call) {
      if (call === null) return { intentId: null }
      const settings = { oneClick, budget, caller: request.caller }
      const intent = (await pendingCall(tx, oneClick, call)) ?? (await storeSubmission(tx, settings, call))
      return { intentId: intent.id.toString() }
    },
  })
  if (intentId === null) return { status: done, txHash: null }
  const id = BigInt(intentId)
  const intent = await minedInTime(context, id, deadlineMs)
  if (intent.problem === OUT_OF_GAS) {
    const message = 'the transaction ran out of gas when it was mined, and has changed nothing: ask for it again'
    throw new AppError(delegationReasons.out_of_gas, message)
  }
  if (intent.state === 'rejected' || intent.state === 'failed' || intent.outcome === 'reverted') {
    throw refusedByChain(intent.revertData ?? '0x', context.explain, 0)
  }
  const [attempt] = await listAttempts(venue.sql, oneClick.chainId, id)
  return { status: isOver(intent) ? done : 'pending', txHash: intent.txHash ?? attempt?.hash ?? null }
}

const isOver = ({ state }: Intent): boolean => !['queued', 'signed', 'broadcast'].includes(state)

/** The intent as soon as it is over; as it is then, when the deadline (Unix ms) has come. */
function minedInTime({ venue, oneClick }: DelegationContext, intentId: bigint, deadlineMs: number): Promise<Intent> {
  const answers = new FirstAnswers({
    async look([id = '']) {
      const intent = await getIntent(venue.sql, oneClick.chainId, BigInt(id))
      return new Map(intent ? [[id, intent]] : [])
    },
    isAnswer: isOver,
    pauseMs: CHANGE_PAUSE_MS,
  })
  return answers.wait(intentId.toString(), deadlineMs)
}

/** The router takes a signature until its deadline, inclusive; of two clocks the later one counts. */
function requireDeadline({ clock }: Pick<Venue, 'clock'>, { block }: RouterState, deadlineSec: number): void {
  const nowSec = Math.max(Number(block.timestampSec), Math.floor(clock.nowMs() / 1000))
  const problem =
    deadlineSec > UINT32_MAX
      ? `must be at most ${UINT32_MAX}`
      : deadlineSec <= nowSec && `must be in the future, after ${nowSec}`
  if (!problem) return
  const message = `deadline ${problem} (Unix seconds), got ${deadlineSec}`
  throw new AppError(delegationReasons.delegation_deadline_expired, message, { detail: { field: 'deadline' } })
}
