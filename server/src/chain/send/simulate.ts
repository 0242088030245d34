import { max, min } from '../../lib/bigints.ts'
import { HEAD_CALL } from '../node-head.ts'
import { bufferedGas } from '../profiles.ts'
import type { Hex } from '../types.ts'
import { classifySimulation, type SimulationFailure } from './classify.ts'
import type { SendContext } from './context.ts'
import { callOf, toHex } from './revert-data.ts'
import type { Candidate } from './store.ts'
import type { ChainView, RpcBlock } from './view.ts'

/** For all its requests, less than the database gives an idle transaction: the candidates are locked meanwhile. */
const TIMEOUT_MS = 10_000

export type Simulation = { readonly kind: 'passed'; readonly gasLimit: bigint } | SimulationFailure

/**
 * Runs candidates at the view's head and says which gas limit each is to be sent with: its own up to the profile's cap,
 * else the estimate with the profile's buffer, or what it is known to need where that is more. The block is named by number, so that a
 * node that stands behind fails instead of answering from an older state. A revert counts only on a block that was the newest after the
 * candidates were taken, and that stands on the view's: what a candidate builds on may have been reorganised away, or have come in a block
 * after the view's, on which its sender has had it run. What reverts at the view's is run again at the newest, as blocks may come quicker
 * than a node answers. What is not known in time is `unavailable`.
 */
export async function simulate(
  ctx: SendContext,
  view: ChainView,
  candidates: readonly Simulated[],
): Promise<Simulation[]> {
  const deadline = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const simulations = await runAt(deadline, ctx, view.headNumber, candidates)
    return await withSureReverts(deadline, ctx, view, candidates, simulations)
  } catch (error) {
    if (!deadline.aborted) throw error
    return candidates.map(() => ({ kind: 'unavailable', message: `the node has not said enough in ${TIMEOUT_MS} ms` }))
  }
}

type Simulated = Pick<Candidate, 'to' | 'data' | 'valueWei' | 'gasLimit' | 'leastGas'>

async function runAt(
  deadline: AbortSignal,
  ctx: SendContext,
  height: bigint,
  candidates: readonly Simulated[],
): Promise<Simulation[]> {
  const { maxGasLimit } = ctx.profile.gas
  const calls = candidates.map((candidate) => {
    const gas = candidate.gasLimit === null ? maxGasLimit : min(candidate.gasLimit, maxGasLimit)
    const method = candidate.gasLimit === null ? 'eth_estimateGas' : 'eth_call'
    return { gas, method, params: [callOf(ctx.lane.signer, candidate, gas), toHex(height)] }
  })
  const outcomes = await ctx.rpc.outcomes<Hex | null>(calls, { signal: deadline })
  return outcomes.map((outcome, index): Simulation => {
    if (!outcome.ok) return classifySimulation(outcome.error)
    if (outcome.value === null) return { kind: 'unavailable', message: 'the answer is null' }
    const call = calls[index]
    if (call?.method === 'eth_call') return { kind: 'passed', gasLimit: call.gas }
    const estimated = bufferedGas(ctx.profile.gas, BigInt(outcome.value))
    return { kind: 'passed', gasLimit: max(estimated, min(candidates[index]?.leastGas ?? 0n, maxGasLimit)) }
  })
}

/** What has passed stands, whatever is not known in time of what has not. */
async function withSureReverts(
  deadline: AbortSignal,
  ctx: SendContext,
  view: ChainView,
  candidates: readonly Simulated[],
  simulations: readonly Simulation[],
): Promise<Simulation[]> {
  const doubted = [...simulations.keys()].filter((index) => simulations[index]?.kind === 'reverted')
  if (doubted.length === 0) return [...simulations]
  const [newest] = await ifInTime(deadline, blocksAt(deadline, ctx, ['latest']), [])
  if (newest && newest.hash === view.headHash) return [...simulations]
  const reverted = doubted.map((index) => candidates[index] as Simulated)
  const again = newest ? await ifInTime(deadline, runAgain(deadline, ctx, view, newest, reverted), null) : null
  const message = `it reverts on block ${view.headNumber}, which is not known to be the newest any more`
  const sure = new Map(doubted.map((index, nth) => [index, again?.[nth] ?? { kind: 'unavailable' as const, message }]))
  return simulations.map((one, index) => sure.get(index) ?? one)
}

/**
 * Null where the newest block does not stand on the view's head, or is gone meanwhile: what is known to be mined, such as what a candidate
 * comes after, is known by the view.
 */
async function runAgain(
  deadline: AbortSignal,
  ctx: SendContext,
  view: ChainView,
  newest: RpcBlock,
  candidates: readonly Simulated[],
): Promise<Simulation[] | null> {
  if (BigInt(newest.number) <= view.headNumber) return null
  const simulations = await runAt(deadline, ctx, BigInt(newest.number), candidates)
  const [viewed, shown] = await blocksAt(deadline, ctx, [toHex(view.headNumber), newest.number])
  return viewed?.hash === view.headHash && shown?.hash === newest.hash ? simulations : null
}

async function blocksAt(
  deadline: AbortSignal,
  ctx: SendContext,
  places: readonly string[],
): Promise<(RpcBlock | null)[]> {
  const calls = places.map((place) => ({ method: HEAD_CALL.method, params: [place, false] }))
  const outcomes = await ctx.rpc.outcomes<RpcBlock | null>(calls, { signal: deadline })
  return outcomes.map((outcome) => (outcome.ok ? outcome.value : null))
}

/** What is asked for, or what stands for it where the deadline comes first. */
async function ifInTime<T, Else>(deadline: AbortSignal, asked: Promise<T>, otherwise: Else): Promise<T | Else> {
  return await asked.catch((error) => {
    if (deadline.aborted) return otherwise
    throw error
  })
}
