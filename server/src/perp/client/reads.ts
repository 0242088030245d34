import { type Abi, encodeFunctionData } from 'viem'
import { observerAbi } from '../../chain/abi/observer.ts'
import { contractAddress } from '../../chain/deployment.ts'
import type { Venue } from '../../http/product.ts'
import { callsAt, decoded, type NamedBlock, newestBlock, PairRefused } from '../listing/pair.ts'
import { wouldRevert } from '../reverts/perp-reverts.ts'

/** What Observer answers, with the block of it. */
export interface ObserverAnswer<T> {
  readonly block: NamedBlock
  readonly answer: T
}

/**
 * Asks Observer at the newest block, which the answer names. Throws `would_revert`, with the contract's reason, where the pair cannot
 * answer, and `perp_chain_unreachable`.
 */
export async function askObserver<T>(
  { rpc, deployment }: Pick<Venue, 'rpc' | 'deployment'>,
  functionName: string,
  args: readonly unknown[],
): Promise<ObserverAnswer<T>> {
  const abi = observerAbi as Abi
  const block = await newestBlock({ rpc })
  const data = encodeFunctionData({ abi, functionName, args })
  const [outcome] = await callsAt({ rpc }, block, [{ to: contractAddress(deployment, 'Observer'), data }])
  try {
    return { block, answer: decoded<T>(abi, functionName, outcome) }
  } catch (error) {
    throw error instanceof PairRefused ? wouldRevert(error.data) : error
  }
}
