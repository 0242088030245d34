import { type Abi, type ContractFunctionArgs, type ContractFunctionName, encodeFunctionData } from 'viem'
import { observerAbi } from '../../chain/abi/observer.ts'
import { contractAddress } from '../../chain/deployment.ts'
import type { Venue } from '../../http/product.ts'
import { callsAt, decoded, type NamedBlock, newestBlock, PairRefused, type ReturnOf } from '../listing/pair.ts'
import { wouldRevert } from '../reverts/perp-reverts.ts'

type View = ContractFunctionName<typeof observerAbi, 'view'>

/** What Observer answers, with the block of it. */
export interface ObserverAnswer<T> {
  readonly block: NamedBlock
  readonly answer: T
}

/**
 * Asks Observer at the newest block, which the answer names. Throws `would_revert`, with the contract's reason, where the pair cannot
 * answer, and `perp_chain_unreachable`.
 */
export async function askObserver<Name extends View>(
  { rpc, deployment }: Pick<Venue, 'rpc' | 'deployment'>,
  functionName: Name,
  args: ContractFunctionArgs<typeof observerAbi, 'view', Name>,
): Promise<ObserverAnswer<ReturnOf<typeof observerAbi, Name>>> {
  const block = await newestBlock({ rpc })
  const data = encodeFunctionData<Abi>({ abi: observerAbi, functionName, args: args as readonly unknown[] })
  const [outcome] = await callsAt({ rpc }, block, [{ to: contractAddress(deployment, 'Observer'), data }])
  try {
    return { block, answer: decoded(observerAbi, functionName, outcome) }
  } catch (error) {
    throw error instanceof PairRefused ? wouldRevert(error.data) : error
  }
}
