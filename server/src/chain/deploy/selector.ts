import { type Abi, type ContractFunctionName, toFunctionSelector } from 'viem'
import type { Hex } from '../types.ts'

/** The selector of a contract's function, which must not be overloaded. */
export function selectorOf<const A extends Abi>(abi: A, name: ContractFunctionName<A>): Hex {
  const item = abi.find((entry) => entry.type === 'function' && entry.name === name)
  if (item?.type !== 'function') throw new Error(`the ABI has no function ${name}`)
  return toFunctionSelector(item)
}
