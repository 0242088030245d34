import {
  type Abi,
  type AbiStateMutability,
  type ContractFunctionArgs,
  type ContractFunctionName,
  encodeFunctionData,
} from 'viem'
import type { Hex } from './types.ts'

// Calls of contracts, typed by their ABIs: a function or an argument that a contract does not have is a type error.

/** A contract at its address. */
export interface Contract<A extends Abi = Abi> {
  readonly address: Hex
  readonly abi: A
}

/** The arguments of a function of an ABI; of an ABI that is known only when the program runs, any list. */
export type ArgumentsOf<A extends Abi, Name extends ContractFunctionName<A>> = Extract<
  ContractFunctionArgs<A, AbiStateMutability, Name>,
  readonly unknown[]
>

/** Data of a transaction or a call of a contract's function. */
export function encodeCall<const A extends Abi, Name extends ContractFunctionName<A>>(
  abi: A,
  functionName: Name,
  args: ArgumentsOf<A, Name>,
): Hex {
  // Of an ABI that is a parameter the library's own types cannot tell that its name and its arguments belong together.
  return encodeFunctionData<Abi>({ abi, functionName, args })
}
