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
 * node that stands behind fails instead of answering from an older state. A revert counts only while the view's head is still the node's newest block: what
 * a candidate builds on may have been reorganised away, or have come in a block after it, on which its sender has had it run. What is not
 * known in time is `unavailable`.
 */
export async function simulate(
  ctx: SendContext,
  view: ChainView,
  candidates: readonly Simulated[],
): Promise<Simulation[]> {
  const deadline = AbortSignal.timeout(TIMEOUT_MS)
  try {
    return await simulateUntil(deadline, ctx, view, candidates)
  } catch (error) {
    if (!deadline.aborted) throw error
    return candidates.map(() => ({ kind: 'unavailable', message: `the node has not said enough in ${TIMEOUT_MS} ms` }))
  }
}

type Simulated = Pick<Candidate, 'to' | 'data' | 'valueWei' | 'gasLimit' | 'leastGas'>

async function simulateUntil(
  deadline: AbortSignal,
  ctx: SendContext,
  view: ChainView,
  candidates: readonly Simulated[],
): Promise<Simulation[]> {
  const { maxGasLimit } = ctx.profile.gas
  const block = toHex(view.headNumber)
  const calls = candidates.map((candidate) => {
    const gas = candidate.gasLimit === null ? maxGasLimit : min(candidate.gasLimit, maxGasLimit)
    const method = candidate.gasLimit === null ? 'eth_estimateGas' : 'eth_call'
    return { gas, method, params: [callOf(ctx.lane.signer, candidate, gas), block] }
  })
  const outcomes = await ctx.rpc.outcomes<Hex | null>(calls, { signal: deadline })
  const simulations = outcomes.map((outcome, index): Simulation => {
    if (!outcome.ok) return classifySimulation(outcome.error)
    if (outcome.value === null) return { kind: 'unavailable', message: 'the answer is null' }
    const call = calls[index]
    if (call?.method === 'eth_call') return { kind: 'passed', gasLimit: call.gas }
    const estimated = bufferedGas(ctx.profile.gas, BigInt(outcome.value))
    return { kind: 'passed', gasLimit: max(estimated, min(candidates[index]?.leastGas ?? 0n, maxGasLimit)) }
  })
  if (simulations.every(({ kind }) => kind !== 'reverted') || (await isStillHead(deadline, ctx, view)))
    return simulations
  const message = `it reverts on block ${view.headNumber}, which is not known to be the newest any more`
  return simulations.map((one) => (one.kind === 'reverted' ? { kind: 'unavailable', message } : one))
}

async function isStillHead(deadline: AbortSignal, ctx: SendContext, view: ChainView): Promise<boolean> {
  const asked = ctx.rpc.outcomes<RpcBlock | null>([HEAD_CALL], { signal: deadline })
  // What has passed is not thrown away for it.
  const [block] = await asked.catch((error) => {
    if (deadline.aborted) return []
    throw error
  })
  return block?.ok === true && block.value?.hash === view.headHash
}
