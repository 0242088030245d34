import { type Abi, decodeErrorResult } from 'viem'
import type { Hex } from './types.ts'

/** A custom error of some contracts, or one of the two that the language has. */
export interface DecodedRevert {
  readonly name: string
  readonly args: readonly unknown[]
}

/** A revert for people: the custom error's name, its arguments by name (integers and addresses as text), and advice. */
export interface NamedRevert {
  readonly name: string
  readonly args: Readonly<Record<string, string>>
  readonly explanation: string
}

/** What the reverts of a set of contracts mean. */
export interface Reverts {
  /** The custom error in a revert; null when there is no data or it is none of these contracts'. */
  decode(data: Hex | null): DecodedRevert | null
  /** A revert by its custom error's name and arguments; the raw data when it is none of these contracts'. */
  name(data: Hex | null): string | null
  /** A revert in words; null for an error that none of these contracts has. */
  explain(data: Hex): NamedRevert | null
  /** What it means and what would be right, where that is known. */
  meaning(data: Hex | null): string | null
}

/** The errors that the language itself has. */
const BUILT_IN: Readonly<Record<string, string>> = {
  Error: 'A contract refused the transaction with the message given here.',
  Panic: 'A contract met an arithmetic or internal fault. Tell the operator.',
}

/**
 * Reads the reverts of the contracts with these ABIs; `explanations` say by the error's name what it means and what would
 * be right.
 */
export function revertsOf(abis: readonly Abi[], explanations: Readonly<Record<string, string>>): Reverts {
  const abi = abis.flat()
  const decode = (data: Hex | null) => decodeRevert(abi, data)
  const meaningOf = (name: string): string | null => BUILT_IN[name] ?? explanations[name] ?? null
  return {
    decode(data) {
      const decoded = decode(data)
      return decoded && { name: decoded.errorName, args: decoded.args ?? [] }
    },
    name(data) {
      const decoded = decode(data)
      if (decoded) return `${decoded.errorName}(${(decoded.args ?? []).map(String).join(', ')})`
      return data === '0x' ? null : data
    },
    explain(data) {
      const decoded = decode(data)
      if (!decoded) return null
      const { errorName: name, abiItem, args: values = [] } = decoded
      const inputs = abiItem.type === 'error' ? abiItem.inputs : []
      const args = inputs.map((input, index) => [input.name ?? String(index), String(values[index])])
      return { name, args: Object.fromEntries(args), explanation: meaningOf(name) ?? '' }
    },
    meaning(data) {
      const decoded = decode(data)
      return decoded && meaningOf(decoded.errorName)
    },
  }
}

function decodeRevert(abi: Abi, data: Hex | null) {
  if (data === null || data === '0x') return null
  try {
    return decodeErrorResult({ abi, data })
  } catch {
    return null
  }
}
