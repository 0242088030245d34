import { chunks } from '../lib/chunks.ts'
import type { Rpc, RpcCall, RpcOutcome } from './rpc.ts'
import { isTooLarge } from './rpc-error.ts'

/**
 * What becomes of reads: those that a node refuses for their size are asked for again in halves, down to single ones. Where it refuses
 * everything in one half, down to the single read, it is not asked for the other.
 */
export async function inHalves<T>(
  calls: readonly RpcCall[],
  ask: (part: readonly RpcCall[]) => Promise<readonly RpcOutcome<T>[]>,
): Promise<RpcOutcome<T>[]> {
  const outcomes = [...(await ask(calls))]
  if (calls.length <= 1) return outcomes
  const refused = [...outcomes.keys()].filter((nth) => isRefused(outcomes[nth]))
  for (const half of chunks(refused, Math.ceil(refused.length / 2))) {
    const asked = half.map((nth) => calls[nth] as RpcCall)
    const again = await inHalves(asked, ask)
    for (const [place, nth] of half.entries()) outcomes[nth] = again[place] as RpcOutcome<T>
    if (again.every(isRefused)) break
  }
  return outcomes
}

/** Many reads, every outcome on its own; for writes there is `outcomes` of the client, which asks for nothing twice. */
export const readOutcomes = <T>(rpc: Rpc, calls: readonly RpcCall[]): Promise<RpcOutcome<T>[]> =>
  inHalves<T>(calls, (part) => rpc.outcomes<T>(part))

const isRefused = (outcome: RpcOutcome<unknown> | undefined): boolean =>
  outcome?.ok === false && isTooLarge(outcome.error)
