import type { observerAbi } from '../../chain/abi/observer.ts'
import type { ReturnOf } from '../../chain/read.ts'
import type { Venue } from '../../http/product.ts'
import { type NamedBlock, newestBlock, type ObserverView, observed, PairRefused } from '../listing/pair.ts'
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
export async function askObserver<Name extends ObserverView>(
  chain: Pick<Venue, 'rpc' | 'deployment'>,
  functionName: Name,
  args: Parameters<typeof observed<Name>>[3],
): Promise<ObserverAnswer<ReturnOf<typeof observerAbi, Name>>> {
  const block = await newestBlock(chain)
  try {
    return { block, answer: await observed(chain, block, functionName, args) }
  } catch (error) {
    throw error instanceof PairRefused ? wouldRevert(error.data) : error
  }
}
