import { type Abi, decodeFunctionResult, encodeFunctionData, toHex } from 'viem'
import type { Rpc } from './rpc.ts'
import type { Hex } from './types.ts'

/** A view function to call. */
export interface ContractRead {
  readonly address: Hex
  readonly abi: Abi
  readonly functionName: string
  readonly args?: readonly unknown[]
}

/**
 * Calls view functions, all at one block so that their answers fit together: the node's head unless `blockNumber` is
 * given. Returns decoded results in order. Throws `RpcError`; a revert is one, with the data in its detail.
 */
export async function readContracts(
  rpc: Rpc,
  reads: readonly ContractRead[],
  blockNumber?: bigint,
): Promise<{ blockNumber: bigint; results: unknown[] }> {
  const block = blockNumber ?? BigInt(await rpc.call<Hex>('eth_blockNumber'))
  const calls = reads.map(({ address, abi, functionName, args }) => ({
    method: 'eth_call',
    params: [{ to: address, data: encodeFunctionData({ abi, functionName, args: args ?? [] }) }, toHex(block)],
  }))
  const answers = await rpc.batch<Hex>(calls)
  const results = answers.map((data, index) => {
    const { abi, functionName } = reads[index] as ContractRead
    return decodeFunctionResult({ abi, functionName, data })
  })
  return { blockNumber: block, results }
}
