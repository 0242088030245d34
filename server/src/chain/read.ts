import {
  type Abi,
  type AbiStateMutability,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeFunctionResult,
  toHex,
} from 'viem'
import { sleep } from '../lib/clock.ts'
import { type ArgumentsOf, type Contract, encodeCall, onlyFunction } from './calls.ts'
import type { Rpc, RpcCall } from './rpc.ts'
import { isBlockMissing } from './rpc-error.ts'
import type { Hex } from './types.ts'

/**
 * Of several nodes behind one address, one names a head that another has not yet: the block is asked for so often, with so long between.
 */
const LOOKS_AT_HEAD = 4
const NODE_LAG_MS = 250

/** What a function of an ABI returns; of an ABI that is known only when the program runs, unknown. */
export type ReturnOf<A extends Abi, Name extends ContractFunctionName<A>> = ContractFunctionReturnType<
  A,
  AbiStateMutability,
  Name
>

/** A call of a view function, and how its answer is read. */
export interface ContractRead<Result> {
  readonly address: Hex
  readonly data: Hex
  /** Throws when the data is no answer of the function. */
  decode(data: Hex): Result
}

/** Asks a contract one of its functions. */
export function contractRead<const A extends Abi, Name extends ContractFunctionName<A>>(
  { address, abi }: Contract<A>,
  functionName: Name,
  ...args: ArgumentsOf<A, Name>
): ContractRead<ReturnOf<A, Name>> {
  return {
    address,
    data: encodeCall<A, Name>(abi, functionName, args),
    decode: (data) => decodeReturn(abi, functionName, data),
  }
}

/** The value that a function returned. Throws when the data is no answer of it. */
export function decodeReturn<const A extends Abi, Name extends ContractFunctionName<A>>(
  abi: A,
  functionName: Name,
  data: Hex,
): ReturnOf<A, Name> {
  // Of an ABI that is a parameter the library says nothing more than unknown.
  const found = onlyFunction(abi, functionName)
  return decodeFunctionResult<Abi>(found ? { abi: found.abi, data } : { abi, functionName, data }) as ReturnOf<A, Name>
}

type Reads = readonly ContractRead<unknown>[]
/** The answers of reads, in their places. */
type ResultsOf<Asked extends Reads> = {
  -readonly [Place in keyof Asked]: Asked[Place] extends ContractRead<infer Result> ? Result : never
}

/**
 * Calls view functions, all at one block so that their answers fit together: the node's head unless `blockNumber` is
 * given. Returns decoded results in order. Throws `RpcError`; a revert is one, with the data in its detail.
 */
export async function readContracts<const Asked extends Reads>(
  rpc: Rpc,
  reads: Asked,
  blockNumber?: bigint,
): Promise<ResultsOf<Asked>> {
  return blockNumber === undefined ? readAtHead(rpc, reads) : readAt(rpc, reads, toHex(blockNumber))
}

async function readAtHead<const Asked extends Reads>(rpc: Rpc, reads: Asked): Promise<ResultsOf<Asked>> {
  const head = toHex(BigInt(await rpc.call<Hex>('eth_blockNumber')))
  for (let look = 1; ; look++) {
    try {
      return await readAt(rpc, reads, head)
    } catch (error) {
      if (look === LOOKS_AT_HEAD || !isBlockMissing(error)) throw error
      await sleep(NODE_LAG_MS)
    }
  }
}

/**
 * Calls view functions in one request, each at whatever is the node's head as it comes to it: for answers of which none is compared
 * with another. Throws as `readContracts`.
 */
export async function readEach<const Asked extends Reads>(rpc: Rpc, reads: Asked): Promise<ResultsOf<Asked>> {
  return readAt(rpc, reads, 'latest')
}

/** The request of a read at a block: its number or a tag, or by its hash the very block (EIP-1898). */
export const callAt = (
  { address, data }: Pick<ContractRead<unknown>, 'address' | 'data'>,
  block: string | { readonly blockHash: Hex },
): RpcCall => ({ method: 'eth_call', params: [{ to: address, data }, block] })

async function readAt<const Asked extends Reads>(rpc: Rpc, reads: Asked, block: string): Promise<ResultsOf<Asked>> {
  const calls = reads.map((read) => callAt(read, block))
  const answers = await rpc.batch<Hex>(calls)
  // The node answers each call in its place, and a mapped list has lost which type stands in which.
  return reads.map(({ decode }, place) => decode(answers[place] as Hex)) as ResultsOf<Asked>
}

/** Calls one view function. Throws as `readContracts`. */
export async function readContract<Result>(
  rpc: Rpc,
  read: ContractRead<Result>,
  blockNumber?: bigint,
): Promise<Result> {
  const [result] = await readContracts(rpc, [read], blockNumber)
  return result
}

/** Calls view functions in groups, all at one block; the results are grouped alike. Throws as `readContracts`. */
export async function readGroups<const Groups extends readonly Reads[]>(
  rpc: Rpc,
  groups: Groups,
  blockNumber?: bigint,
): Promise<{ -readonly [Place in keyof Groups]: ResultsOf<Groups[Place]> }> {
  const results = (await readContracts(rpc, groups.flat(), blockNumber)).values()
  const grouped: unknown = groups.map((group) => results.take(group.length).toArray())
  return grouped as { -readonly [Place in keyof Groups]: ResultsOf<Groups[Place]> }
}
