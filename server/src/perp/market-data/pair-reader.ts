import type { Abi, ContractFunctionReturnType } from 'viem'
import { observerAbi } from '../../chain/abi/observer.ts'
import { type ContractRead, readContracts } from '../../chain/read.ts'
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
export type PairState = ContractFunctionReturnType<typeof observerAbi, 'view', 'fetchOnChainContext'>

const NOBODY: Hex = '0x0000000000000000000000000000000000000000'

/** Pairs as of a block. Throws `RpcError`. */
export async function readPairs(
  rpc: Rpc,
  observer: Hex,
  pairs: readonly Pair[],
  { height }: BlockInfo,
): Promise<readonly PairState[]> {
  const reads = pairs.map(({ instrument, expiry }) =>
    observerRead(observer, 'fetchOnChainContext', [instrument, expiry, NOBODY, 0n]),
  )
  return (await readContracts(rpc, reads, height)).results as readonly PairState[]
}

/** The liquidity of a pair within `reach` ticks of its price, as of a block. Throws `RpcError`. */
export async function readDepth(
  rpc: Rpc,
  observer: Hex,
  { instrument, expiry }: Pair,
  reach: number,
  { height }: BlockInfo,
): Promise<Depth> {
  const read = observerRead(observer, 'liquidityDetails', [instrument, expiry, reach])
  const { results } = await readContracts(rpc, [read], height)
  const [{ sqrtPX96, tick, liquidity }, ticks, pearls] = results[0] as LiquidityDetails
  return {
    sqrtPX96,
    tick,
    liquidity,
    pearls: ticks.map((at, nth) => ({ tick: at, ...(pearls[nth] as LiquidityDetails[2][number]) })),
  }
}

type LiquidityDetails = ContractFunctionReturnType<typeof observerAbi, 'view', 'liquidityDetails'>

const observerRead = (address: Hex, functionName: string, args: readonly unknown[]): ContractRead => ({
  address,
  abi: observerAbi as Abi,
  functionName,
  args,
})
