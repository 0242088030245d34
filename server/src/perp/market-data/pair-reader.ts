import { observerAbi } from '../../chain/abi/observer.ts'
import { contractRead, type ReturnOf, readContract, readContracts } from '../../chain/read.ts'
import type { Rpc } from '../../chain/rpc.ts'
import type { Hex } from '../../chain/types.ts'
import type { BlockInfo } from '../../http/product.ts'
import type { Depth } from './order-book.ts'

/** A perpetual instrument and one of its expiries. */
export interface Pair {
  /** Lower-case. */
  readonly instrument: Hex
  readonly expiry: number
}

/** Everything of a pair that belongs to nobody in particular, as Observer gives it (perp-protocol 1.6). */
export type PairState = ReturnOf<typeof observerAbi, 'fetchOnChainContext'>

const NOBODY: Hex = '0x0000000000000000000000000000000000000000'

/** Pairs as of a block. Throws `RpcError`. */
export async function readPairs(
  rpc: Rpc,
  observer: Hex,
  pairs: readonly Pair[],
  { height }: BlockInfo,
): Promise<readonly PairState[]> {
  const reads = pairs.map(({ instrument, expiry }) =>
    contractRead({ address: observer, abi: observerAbi }, 'fetchOnChainContext', instrument, expiry, NOBODY, 0n),
  )
  return await readContracts(rpc, reads, height)
}

/** The liquidity of a pair within `reach` ticks of its price, as of a block. Throws `RpcError`. */
export async function readDepth(
  rpc: Rpc,
  observer: Hex,
  { instrument, expiry }: Pair,
  reach: number,
  { height }: BlockInfo,
): Promise<Depth> {
  const contract = { address: observer, abi: observerAbi }
  const read = contractRead(contract, 'liquidityDetails', instrument, expiry, reach)
  const [{ sqrtPX96, tick, liquidity }, ticks, pearls] = await readContract(rpc, read, height)
  return {
    sqrtPX96,
    tick,
    liquidity,
    pearls: ticks.map((at, nth) => ({ tick: at, ...(pearls[nth] as (typeof pearls)[number]) })),
  }
}
