import { contractAddress } from '../../chain/deployment.ts'
import { chainProfile } from '../../chain/profiles.ts'
import { readContract } from '../../chain/read.ts'
import type { Hex } from '../../chain/types.ts'
import type { PerpContext } from '../context.ts'
import { portfolioRead } from '../listing/observer.ts'
import { type KeptOrder, mayReduce } from './kept-order.ts'

/**
 * Whether the wallet had nothing that an order may reduce also at the newest block that the keeper acts on (`actDepth`): a newer one may be
 * undone, and with it the trade that took the position away. False while that block is from before the order was judged.
 */
export async function hasNothingLeft(
  { venue: { rpc, deployment }, chainId }: Pick<PerpContext, 'venue' | 'chainId'>,
  instrument: Hex,
  order: Pick<KeptOrder, 'user' | 'expiry' | 'side' | 'judgedBlock'>,
): Promise<boolean> {
  const head = BigInt(await rpc.call<Hex>('eth_blockNumber'))
  const block = head - BigInt(chainProfile(chainId).actDepth) + 1n
  if (block < order.judgedBlock) return false
  const read = portfolioRead(contractAddress(deployment, 'Observer'), { instrument, expiry: order.expiry }, order.user)
  const [{ position }] = await readContract(rpc, read, block)
  return !mayReduce(order, position.size)
}
