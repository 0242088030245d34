import { numberToHex } from 'viem'
import type { NodeHead } from './node-head.ts'
import type { Rpc, RpcCall } from './rpc.ts'
import { RpcError } from './rpc-error.ts'
import type { Hex } from './types.ts'

/** A block that a node has named. */
export type Named = Pick<NodeHead, 'height' | 'hash'>

/** The request of a block by its number, without its transactions. */
export const blockCall = (height: bigint): RpcCall => ({
  method: 'eth_getBlockByNumber',
  params: [numberToHex(height), false],
})

/** The node has not the block that it was asked about: not yet, or another one in its place. */
export class OtherBlockError extends RpcError {
  constructor(method: string, height: bigint, isMissing: boolean) {
    const instead = isMissing ? `no block ${height} yet` : `another block ${height} than it was asked about`
    super('rpc_malformed', method, `the node has ${instead}`)
  }
}

/**
 * What a node answers that has that very block, which it is asked for in the same request: behind one address one node may lag, or be on
 * another fork, and would silently leave logs out. Throws `OtherBlockError` where it has not, and other `RpcError`.
 */
export async function askOn<T>(rpc: Rpc, { height, hash }: Named, call: RpcCall): Promise<T> {
  const [answer, block] = await rpc.batch<unknown>([call, blockCall(height)])
  const found = block as { readonly hash: Hex } | null
  if (found?.hash === hash) return answer as T
  throw new OtherBlockError(call.method, height, found === null)
}
