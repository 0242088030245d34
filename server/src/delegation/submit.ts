import { encodeFunctionData, erc20Abi, toHex } from 'viem'
import { operatorPoolAbi } from '../chain/abi/operator-pool.ts'
import { bufferedGas, chainProfile } from '../chain/profiles.ts'
import type { Reverts } from '../chain/reverts.ts'
import type { RpcCall, RpcOutcome } from '../chain/rpc.ts'
import { classifySimulation } from '../chain/send/classify.ts'
import { countPendingIntents, findPendingIntent, type Intent, insertIntent } from '../chain/send/intents.ts'
import { signersFor } from '../chain/send/status.ts'
import type { Hex } from '../chain/types.ts'
import type { Tx } from '../db/pool.ts'
import type { Caller } from '../http/caller.ts'
import type { Venue } from '../http/product.ts'
import { formatUnits } from '../lib/decimal.ts'
import { AppError } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import type { OneClick } from './one-click.ts'
import { delegationReasons } from './reasons.ts'
import { addressIn, answered, delegateOfCall, viewCall } from './router-state.ts'
import { gasOfDay, gasOfDayAtMost, insertSubmission, lockBudget, lockUser } from './submission-store.ts'
import { refusedByChain } from './would-revert.ts'

/** The purpose of intents that act for users; only signers that are operators of the pool have it. */
export const SUBMIT_PURPOSE = 'submit'

/** More gas than any change of a delegation needs, the check of a contract wallet's signature included. */
const POOL_CALL_GAS = 500_000n

/** Gas that the submissions of one API key may use in 24 hours, unless the operator sets another figure. */
export const DEFAULT_GAS_PER_DAY = 1_000_000_000n

/** What the checks work with. */
export interface SubmitContext {
  readonly venue: Pick<Venue, 'sql' | 'rpc'>
  readonly oneClick: OneClick
  /** Path of the product's One Click operations, before `/prepare` and the others. */
  readonly prefix: string
  /** The revert of one of the product's contracts in words. */
  readonly explain: Reverts['explain']
}

/** Wallet tokens that a call takes, which the user alone can allow. */
export interface Spending {
  readonly token: Hex
  readonly symbol: string
  readonly decimals: number
  readonly spender: Hex
  readonly amountRaw: bigint
}

/** What a product wants done as a user. */
export interface UserCall {
  readonly user: Hex
  readonly target: Hex
  readonly data: Hex
  /** Null to have it estimated. Honoured up to the cap of the chain's profile. */
  readonly gasLimit: bigint | null
  readonly spending: Spending | null
}

/** A call of the pool that the chain would execute now, ready to be stored. */
export interface CheckedCall {
  readonly user: Hex
  readonly to: Hex
  readonly data: Hex
  readonly gasLimit: bigint | null
  readonly gasReserved: bigint
}

/**
 * Checks a call against the chain's head before anything is stored: the delegation, the allowance, and by running it.
 * Throws `delegation_not_enabled`, `allowance_too_low`, `would_revert`, `gas_limit_too_low`, `one_click_unavailable`,
 * `chain_not_answering`.
 */
export async function checkUserCall(context: SubmitContext, call: UserCall): Promise<CheckedCall> {
  const { oneClick } = context
  const { router, pool } = oneClick
  const { user, spending } = call
  const args = [router, user, call.target, call.data] as const
  const data = encodeFunctionData({ abi: operatorPoolAbi, functionName: 'execute', args })
  const reads = [delegateOfCall(router, user), ...(spending ? [allowanceCall(user, spending)] : [])]
  const run = await simulation(context, { to: pool, data, gasLimit: call.gasLimit })
  const [simulated, delegatee, allowance] = await context.venue.rpc.outcomes<Hex>([run, ...reads])
  requireDelegation(context, user, addressIn(answered(delegatee)))
  if (spending) requireAllowance(user, spending, BigInt(answered(allowance)))
  const gasReserved = await gasOf(context, user, call.gasLimit, simulated)
  return { user, to: pool, data, gasLimit: call.gasLimit, gasReserved }
}

/**
 * Checks a call of the pool itself, such as `enable`. A contract wallet is asked for its consent in it and could burn what
 * it likes, so the gas is bounded, and fixed at what it is now. Throws as `checkUserCall`, without the delegation.
 */
export async function checkPoolCall(context: SubmitContext, user: Hex, data: Hex): Promise<CheckedCall> {
  const to = context.oneClick.pool
  const run = await simulation(context, { to, data, gasLimit: null }, POOL_CALL_GAS)
  const [simulated] = await context.venue.rpc.outcomes<Hex>([run])
  const gasReserved = await gasOf(context, user, null, simulated)
  return { user, to, data, gasLimit: gasReserved, gasReserved }
}

/**
 * Stores a checked call as an intent, within the key's budget of gas for 24 hours. The calls of one user are sent by one
 * signer, in the order in which they are stored. Throws `gas_budget_exhausted`.
 *
 * @param dedupeKey of what may be stored once; a request of its own unless given
 */
export async function storeSubmission(
  tx: Tx,
  { oneClick, budget, caller }: { oneClick: OneClick; budget: bigint; caller: Pick<Caller, 'keyId'> },
  call: CheckedCall,
  dedupeKey = `${SUBMIT_PURPOSE}:${newId()}`,
): Promise<Intent> {
  const { chainId } = oneClick
  const { keyId } = caller
  await lockBudget(tx, chainId, keyId)
  await requireBudget(tx, chainId, keyId, budget, call.gasReserved)
  const { user: userAddress, to, data, gasReserved } = call
  const intent = await insertIntent(tx, {
    chainId,
    purpose: SUBMIT_PURPOSE,
    to,
    data,
    dedupeKey,
    orderingKey: orderingKey(userAddress),
    ...(call.gasLimit === null ? {} : { gasLimit: call.gasLimit }),
  })
  await insertSubmission(tx, { chainId, intentId: intent.id, apiKeyId: keyId, userAddress, gasReserved })
  return intent
}

/** Only a key that may be near its budget is worth adding up what each of its submissions has really used. */
async function requireBudget(tx: Tx, chainId: number, keyId: string, budget: bigint, needed: bigint): Promise<void> {
  if ((await gasOfDayAtMost(tx, chainId, keyId)) + needed <= budget) return
  const used = await gasOfDay(tx, chainId, keyId)
  if (used + needed <= budget) return
  const left = budget > used ? budget - used : 0n
  const message = `this needs ${needed} gas, and of the ${budget} that this API key may use in 24 hours ${left} are left`
  throw new AppError(delegationReasons.gas_budget_exhausted, message)
}

/** The user's call of the pool that is under way already, if it is exactly this one; of two at once the second sees the first. */
export async function pendingCall(tx: Tx, { chainId }: OneClick, call: CheckedCall): Promise<Intent | null> {
  await lockUser(tx, chainId, call.user)
  return findPendingIntent(tx, chainId, orderingKey(call.user), call)
}

/** What the calls of one user share: they are sent in order. */
export const orderingKey = (user: Hex): string => `user:${user}`

/** Runs the call as an operator of the pool: estimated, or with the limit that the request gives. */
async function simulation(
  { venue, oneClick }: SubmitContext,
  { to, data, gasLimit }: { to: Hex; data: Hex; gasLimit: bigint | null },
  most: bigint | null = gasLimit,
): Promise<RpcCall> {
  const [from] = await signersFor(venue.sql, oneClick.chainId, SUBMIT_PURPOSE)
  if (from === undefined) {
    const message = 'no relayer that submits for users has reported yet; try again in a moment'
    throw new AppError(delegationReasons.one_click_unavailable, message)
  }
  const gas = toHex(cappedGas(oneClick, most))
  return { method: gasLimit === null ? 'eth_estimateGas' : 'eth_call', params: [{ from, to, data, gas }, 'latest'] }
}

function cappedGas({ chainId }: OneClick, gasLimit: bigint | null): bigint {
  const { maxGasLimit } = chainProfile(chainId).gas
  return gasLimit === null || gasLimit > maxGasLimit ? maxGasLimit : gasLimit
}

/** The gas that the transaction may use, as the relayer will send it. Throws when it would not succeed. */
async function gasOf(
  context: SubmitContext,
  user: Hex,
  gasLimit: bigint | null,
  simulated: RpcOutcome<Hex> | undefined,
): Promise<bigint> {
  const { oneClick, venue } = context
  if (simulated?.ok) {
    if (gasLimit !== null) return cappedGas(oneClick, gasLimit)
    return bufferedGas(chainProfile(oneClick.chainId).gas, BigInt(simulated.value))
  }
  const failure = simulated && classifySimulation(simulated.error)
  if (failure?.kind !== 'reverted') throw answeredFailure(simulated)
  if (failure.data === '0x' && gasLimit !== null) {
    const message = `the transaction does not succeed within gasLimit ${gasLimit}: send a higher one, or none`
    throw new AppError(delegationReasons.gas_limit_too_low, message, { detail: { field: 'gasLimit' } })
  }
  const pending = await countPendingIntents(venue.sql, oneClick.chainId, orderingKey(user))
  throw refusedByChain(failure.data, context.explain, pending)
}

function answeredFailure(outcome: RpcOutcome<Hex> | undefined): unknown {
  try {
    return new Error(`an unexpected answer: ${answered(outcome)}`)
  } catch (error) {
    return error
  }
}

/** Refuses a user who has not enabled One Click. Throws `delegation_not_enabled`, `chain_not_answering`. */
export async function requireOneClick(context: SubmitContext, user: Hex): Promise<void> {
  const [delegatee] = await context.venue.rpc.outcomes<Hex>([delegateOfCall(context.oneClick.router, user)])
  requireDelegation(context, user, addressIn(answered(delegatee)))
}

function requireDelegation({ oneClick, prefix }: SubmitContext, user: Hex, delegatee: Hex | null): void {
  if (delegatee === oneClick.pool) return
  const message = `${user} has not enabled One Click: POST ${prefix}/prepare, sign its signPayload, POST ${prefix}/enable`
  throw new AppError(delegationReasons.delegation_not_enabled, message)
}

function allowanceCall(user: Hex, { token, spender }: Spending): RpcCall {
  const args = [user, spender] as const
  return viewCall(token, encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args }))
}

function requireAllowance(user: Hex, { token, symbol, decimals, spender, amountRaw }: Spending, allowed: bigint): void {
  if (allowed >= amountRaw) return
  const [needed, given] = [amountRaw, allowed].map((raw) => formatUnits(raw, decimals))
  const message = `the bound user ${user} has not approved the spender ${spender} for ${needed} ${symbol}: approved are ${given}. Call approve on ${token} with the user's own wallet first`
  throw new AppError(delegationReasons.allowance_too_low, message, { detail: { token, spender } })
}
