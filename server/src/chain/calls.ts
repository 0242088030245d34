import {
  type Abi,
  type AbiStateMutability,
  type ContractFunctionArgs,
  type ContractFunctionName,
  encodeFunctionData,
  prepareEncodeFunctionData,
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
  return encodeFunctionData<Abi>({ ...(onlyFunction(abi, functionName) ?? { abi, functionName }), args })
}

/** A function alone in its ABI, under its selector. */
type OnlyFunction = ReturnType<typeof prepareEncodeFunctionData<Abi>>

const onlyFunctions = new WeakMap<Abi, Map<string, OnlyFunction | null>>()

/**
 * The function of that name, found and hashed once: a keeper at rest reads a dozen functions a second, and a selector costs more than all
 * the rest of a call's data. Null where several have the name, of which the arguments decide.
 */
export function onlyFunction(abi: Abi, functionName: string): OnlyFunction | null {
  const known = onlyFunctions.get(abi) ?? new Map<string, OnlyFunction | null>()
  onlyFunctions.set(abi, known)
  let found = known.get(functionName)
  if (found === undefined) {
    const named = abi.filter((item) => item.type === 'function' && item.name === functionName)
    found = named.length > 1 ? null : prepareEncodeFunctionData<Abi>({ abi, functionName })
    known.set(functionName, found)
  }
  return found
}
