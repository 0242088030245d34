import { numberToHex } from 'viem'
import type { NodeHead } from './node-head.ts'
import { type CallOptions, type Rpc, type RpcCall, unwrap } from './rpc.ts'
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
 * Answers of one node: reads that go in one request, which is never split. Behind one address the halves of one that is refused for its size
 * would go to two nodes, and what one says of its blocks would be believed of the other. Throws the `RpcError` of the first that failed.
 */
export const askTogether = async (
  rpc: Pick<Rpc, 'outcomes'>,
  calls: readonly RpcCall[],
  options?: CallOptions,
): Promise<readonly unknown[]> => (await rpc.outcomes<unknown>(calls, options)).map(unwrap)

/**
 * What a node answers that has that very block, which it is asked for in the same request: behind one address one node may lag, or be on
 * another fork, and would silently leave logs out. Throws `OtherBlockError` where it has not, and other `RpcError`.
 */
export async function askOn<T>(rpc: Pick<Rpc, 'outcomes'>, { height, hash }: Named, call: RpcCall): Promise<T> {
  const [answer, block] = await askTogether(rpc, [call, blockCall(height)])
  const found = block as { readonly hash: Hex } | null
  if (found?.hash === hash) return answer as T
  throw new OtherBlockError(call.method, height, found === null)
}

/**
 * The logs of a range of blocks, as a node gives them that has its last block, which is asked for in the same request: one that stands
 * behind would silently leave its logs out. Throws as `askOn`.
 */
export async function logsThrough<Log>(
  rpc: Pick<Rpc, 'outcomes'>,
  filter: object,
  { from, to }: { readonly from: bigint; readonly to: bigint },
  options?: CallOptions,
): Promise<readonly Log[]> {
  const method = 'eth_getLogs'
  const params = [{ ...filter, fromBlock: numberToHex(from), toBlock: numberToHex(to) }]
  const [logs, last] = await askTogether(rpc, [{ method, params }, blockCall(to)], options)
  if (last === null) throw new OtherBlockError(method, to, true)
  return logs as readonly Log[]
}

/** Whether the chain of a block has another one below it, by a node that has both. Throws as `askOn`. */
export async function isBelow(rpc: Pick<Rpc, 'outcomes'>, { height, hash }: Named, head: Named): Promise<boolean> {
  const block = await askOn<{ readonly hash: Hex } | null>(rpc, head, blockCall(height))
  return block?.hash === hash
}
