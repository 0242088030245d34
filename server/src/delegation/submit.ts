import { encodeFunctionData, erc20Abi, prepareEncodeFunctionData, toHex } from 'viem'
import { operatorPoolAbi } from '../chain/abi/operator-pool.ts'
import { bufferedGas, chainProfile, type GasPolicy, unbufferedGas } from '../chain/profiles.ts'
import type { Reverts } from '../chain/reverts.ts'
import type { RpcCall, RpcOutcome } from '../chain/rpc.ts'
import { findCallFor } from '../chain/send/accounting-store.ts'
import { classifySimulation } from '../chain/send/classify.ts'
import { countPendingIntents } from '../chain/send/intents.ts'
import { signersFor } from '../chain/send/status.ts'
import { tagged } from '../chain/send/tags.ts'
import type { Hex } from '../chain/types.ts'
import type { Sql } from '../db/pool.ts'
import type { Venue } from '../http/product.ts'
import { formatUnits } from '../lib/decimal.ts'
import { AppError } from '../lib/errors.ts'
import type { KnownGas } from './known-gas.ts'
import type { OneClick } from './one-click.ts'
import { delegationReasons } from './reasons.ts'
import { addressIn, answered, delegateOfCall, viewCall } from './router-state.ts'
import { orderingKey, SUBMIT_PURPOSE } from './submission.ts'
import { refusedByChain } from './would-revert.ts'

/** More gas than any change of a delegation needs, the check of a contract wallet's signature included. */
const POOL_CALL_GAS = 500_000n

/** Intrinsic gas of any transaction: less cannot pay for it. */
export const INTRINSIC_GAS = 21_000

/** Gas that the submissions for one wallet may use in 24 hours, unless the operator sets another figure. */
export const DEFAULT_GAS_PER_DAY = 1_000_000_000n

/** Prepared once: to find the function and hash its name costs more than to encode its arguments. */
const EXECUTE = prepareEncodeFunctionData({ abi: operatorPoolAbi, functionName: 'execute' })

/** What the checks work with. */
export interface SubmitContext {
  readonly venue: Pick<Venue, 'sql' | 'rpc'>
  readonly oneClick: OneClick
  /** Path of the product's One Click operations, before `/prepare` and the others. */
  readonly prefix: string
  /** The revert of one of the product's contracts in words. */
  readonly explain: Reverts['explain']
  /** That of the chain's profile, unless the product's calls need more. */
  readonly gas?: GasPolicy
  /** What calls like these have needed; without it every one is estimated. */
  readonly knownGas?: KnownGas
  /** Who has sent for users, the last one first; read for each check unless given. */
  readonly signers?: () => Promise<readonly Hex[]>
}

export const submitSigners = (sql: Sql, chainId: number): Promise<Hex[]> => signersFor(sql, chainId, SUBMIT_PURPOSE)

/** Wallet tokens that a call takes, which the user alone can allow. */
export interface Spending {
  readonly token: Hex
  readonly symbol: string
  readonly decimals: number
  readonly spender: Hex
  readonly amountRaw: bigint
  /** How the user allows them. */
  readonly approveBy: string
}

/** What a product wants done as a user. */
export interface UserCall {
  readonly user: Hex
  readonly target: Hex
  readonly data: Hex
  /** Names what costs about as much gas; without it the function that is called. */
  readonly gasKind?: string
  /** Null to have it estimated. Honoured up to the cap of the chain's profile. */
  readonly gasLimit: bigint | null
  readonly spending: Spending | null
  /** What the chain keeps of what it is for; null for what nobody can ask for again (`chain/send/tags.ts`). */
  readonly tag: Hex | null
}

/** A call of the pool that the chain would execute now, ready to be stored. */
export interface CheckedCall {
  readonly user: Hex
  readonly to: Hex
  readonly data: Hex
  /** With which `data` ends. */
  readonly tag: Hex | null
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
  const { user, tag } = call
  const unbufferedOf = (limit: bigint) => unbufferedGas(policyOf(context), limit)
  const args = [router, user, call.target, call.data] as const
  const data = tagged(encodeFunctionData({ ...EXECUTE, args }), tag)
  const known = call.gasLimit === null ? (context.knownGas?.of(router, call) ?? null) : null
  if (known !== null && (await succeedsWithin(context, { to: pool, data, gasLimit: unbufferedOf(known) }))) {
    return { user, to: pool, data, tag, gasLimit: null, gasReserved: known }
  }
  const run = await simulation(context, { to: pool, data, gasLimit: call.gasLimit })
  const [simulated] = await context.venue.rpc.outcomes<Hex>([run])
  // The router and the token have checked both in it; only a refusal is worth telling by its cause.
  if (!simulated?.ok) await requireAllowed(context, call)
  const gasReserved = await gasOf(context, { user, to: pool, data, gasLimit: call.gasLimit }, simulated)
  if (call.gasLimit === null) context.knownGas?.remember(router, call, gasReserved)
  return { user, to: pool, data, tag, gasLimit: call.gasLimit, gasReserved }
}

/**
 * The call that has been made already for what has this tag, where the database has forgotten it; null where there is none. To run it
 * again would tell nothing: it costs no more gas, and the relayer takes over what was mined.
 */
export async function callMadeFor(
  { venue, oneClick }: Pick<SubmitContext, 'venue' | 'oneClick'>,
  user: Hex,
  tag: Hex,
): Promise<CheckedCall | null> {
  const to = oneClick.pool
  const data = await findCallFor(venue.sql, oneClick.chainId, to, tag)
  return data && { user, to, data, tag, gasLimit: null, gasReserved: BigInt(INTRINSIC_GAS) }
}

/** What does not may yet succeed with more gas. */
async function succeedsWithin(
  context: SubmitContext,
  call: { readonly to: Hex; readonly data: Hex; readonly gasLimit: bigint },
): Promise<boolean> {
  const [outcome] = await context.venue.rpc.outcomes<Hex>([await simulation(context, call)])
  return outcome?.ok === true
}

async function requireAllowed(context: SubmitContext, { user, spending }: UserCall): Promise<void> {
  const reads = [delegateOfCall(context.oneClick.router, user), ...(spending ? [allowanceCall(user, spending)] : [])]
  const [delegatee, allowance] = await context.venue.rpc.outcomes<Hex>(reads)
  requireDelegation(context, user, addressIn(answered(delegatee)))
  if (spending) requireAllowance(user, spending, BigInt(answered(allowance)))
}

/**
 * Checks a call of the pool itself, such as `enable`. A contract wallet is asked for its consent in it and could burn what
 * it likes, so the gas is bounded, and fixed at what it is now. Throws as `checkUserCall`, without the delegation.
 */
export async function checkPoolCall(context: SubmitContext, user: Hex, data: Hex): Promise<CheckedCall> {
  const to = context.oneClick.pool
  const run = await simulation(context, { to, data, gasLimit: null }, POOL_CALL_GAS)
  const [simulated] = await context.venue.rpc.outcomes<Hex>([run])
  const gasReserved = await gasOf(context, { user, to, data, gasLimit: null }, simulated)
  return { user, to, data, tag: null, gasLimit: gasReserved, gasReserved }
}

/** Runs the call as an operator of the pool: estimated, or with the limit that the request gives. */
async function simulation(
  { venue, oneClick, signers = () => submitSigners(venue.sql, oneClick.chainId) }: SubmitContext,
  { to, data, gasLimit }: { to: Hex; data: Hex; gasLimit: bigint | null },
  most: bigint | null = gasLimit,
): Promise<RpcCall> {
  const [from] = await signers()
  if (from === undefined) {
    const message = 'no relayer that submits for users has reported yet; try again in a moment'
    throw new AppError(delegationReasons.one_click_unavailable, message)
  }
  const gas = toHex(cappedGas(oneClick, most))
  return { method: gasLimit === null ? 'eth_estimateGas' : 'eth_call', params: [{ from, to, data, gas }, 'latest'] }
}

const policyOf = ({ oneClick, gas = chainProfile(oneClick.chainId).gas }: SubmitContext): GasPolicy => gas

function cappedGas({ chainId }: OneClick, gasLimit: bigint | null): bigint {
  const { maxGasLimit } = chainProfile(chainId).gas
  return gasLimit === null || gasLimit > maxGasLimit ? maxGasLimit : gasLimit
}

/** A call of the pool for a user, with the limit that the request gives. */
interface PoolCall {
  readonly user: Hex
  readonly to: Hex
  readonly data: Hex
  readonly gasLimit: bigint | null
}

/** The gas that the transaction may use, as the relayer will send it. Throws when it would not succeed. */
async function gasOf(context: SubmitContext, call: PoolCall, simulated: RpcOutcome<Hex> | undefined): Promise<bigint> {
  const { oneClick } = context
  if (!simulated?.ok) throw await refusal(context, call, simulated)
  if (call.gasLimit !== null) return cappedGas(oneClick, call.gasLimit)
  return bufferedGas(policyOf(context), BigInt(simulated.value))
}

/** Why a call is refused that has failed. A limit is too low only where the call succeeds without it: no other revert tells so. */
async function refusal(
  context: SubmitContext,
  call: PoolCall,
  simulated: RpcOutcome<Hex> | undefined,
): Promise<unknown> {
  const { oneClick, venue, explain } = context
  const failure = simulated && !simulated.ok ? classifySimulation(simulated.error) : null
  if (failure?.kind !== 'reverted') return answeredFailure(simulated)
  if (call.gasLimit !== null) {
    const [unlimited] = await venue.rpc.outcomes<Hex>([await simulation(context, { ...call, gasLimit: null })])
    if (!unlimited?.ok) return refusal(context, { ...call, gasLimit: null }, unlimited)
    const needed = BigInt(unlimited.value)
    const safe = bufferedGas(policyOf(context), needed)
    const message = `the transaction does not succeed within gasLimit ${call.gasLimit}: it needs ${needed} gas now, send ${safe}, or none`
    return new AppError(delegationReasons.gas_limit_too_low, message, { detail: { field: 'gasLimit' } })
  }
  const pending = await countPendingIntents(venue.sql, oneClick.chainId, orderingKey(call.user))
  return refusedByChain(failure.data, explain, pending)
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

function requireAllowance(user: Hex, spending: Spending, allowed: bigint): void {
  const { token, symbol, decimals, spender, amountRaw, approveBy } = spending
  if (allowed >= amountRaw) return
  const [needed, given] = [amountRaw, allowed].map((raw) => formatUnits(raw, decimals))
  const message = `the bound user ${user} has not approved the spender ${spender} for ${needed} ${symbol}: approved are ${given}. ${approveBy}`
  throw new AppError(delegationReasons.allowance_too_low, message, { detail: { token, spender } })
}
