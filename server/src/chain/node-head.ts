import type { Rpc, RpcCall } from './rpc.ts'
import { RpcError } from './rpc-error.ts'
import type { Hex } from './types.ts'

/** The newest block of a node. */
export interface NodeHead {
  readonly height: bigint
  readonly hash: Hex
  readonly timestampSec: bigint
}

/** With the block that it stands on. */
export interface LinkedHead extends NodeHead {
  readonly parentHash: Hex
}

export const HEAD_CALL: RpcCall = { method: 'eth_getBlockByNumber', params: ['latest', false] }

interface Answer {
  readonly number: Hex
  readonly hash: Hex
  readonly parentHash: Hex
  readonly timestamp: Hex
}

/** The block in the answer to `HEAD_CALL`. Throws `RpcError` where there is none. */
export function headIn(answer: unknown): LinkedHead {
  if (answer === null) throw new RpcError('rpc_malformed', HEAD_CALL.method, 'the node has no newest block')
  const { number, hash, parentHash, timestamp } = answer as Answer
  return { height: BigInt(number), hash, parentHash, timestampSec: BigInt(timestamp) }
}

/** Asks the node for its newest block. Throws `RpcError`. */
export const readHead = async (rpc: Rpc, options?: { readonly timeoutMs: number }): Promise<LinkedHead> =>
  headIn(await rpc.call(HEAD_CALL.method, HEAD_CALL.params, options))
