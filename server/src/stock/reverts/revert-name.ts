import { decodeErrorResult } from 'viem'
import { cashierAbi } from '../../chain/abi/cashier.ts'
import { complianceAbi } from '../../chain/abi/compliance.ts'
import { stockAbi } from '../../chain/abi/stock.ts'
import { stockOracleAbi } from '../../chain/abi/stock-oracle.ts'
import { stockRouterAbi } from '../../chain/abi/stock-router.ts'
import { stockTokenAbi } from '../../chain/abi/stock-token.ts'
import { stockTokenFactoryAbi } from '../../chain/abi/stock-token-factory.ts'
import type { Hex } from '../../chain/types.ts'
import { REVERT_EXPLANATIONS } from './revert-explanations.ts'

const abi = [
  ...stockRouterAbi,
  ...stockAbi,
  ...cashierAbi,
  ...stockOracleAbi,
  ...stockTokenAbi,
  ...complianceAbi,
  ...stockTokenFactoryAbi,
]

/** A custom error of the product's contracts or of what they are built with. */
export interface DecodedRevert {
  readonly name: string
  readonly args: readonly unknown[]
}

/** The custom error in a revert; null when there is no data or it is none of the product's. */
export function decodeRevert(data: Hex | null): DecodedRevert | null {
  const decoded = decode(data)
  return decoded && { name: decoded.errorName, args: decoded.args ?? [] }
}

function decode(data: Hex | null) {
  if (data === null || data === '0x') return null
  try {
    return decodeErrorResult({ abi, data })
  } catch {
    return null
  }
}

/** A revert by its custom error's name and arguments; the raw data when it is none of the product's. */
export function revertName(data: Hex | null): string | null {
  const revert = decodeRevert(data)
  if (revert) return `${revert.name}(${revert.args.map(String).join(', ')})`
  return data === '0x' ? null : data
}

/** A revert for people. */
export interface ExplainedRevert {
  readonly name: string
  /** Arguments by name; integers and addresses as text. */
  readonly args: Readonly<Record<string, string>>
  readonly explanation: string
}

/** What a revert means and what would be right; of one that is none of the product's, the raw data. */
export function explainRevert(data: Hex): ExplainedRevert {
  const decoded = decode(data)
  if (!decoded) {
    const explanation =
      data === '0x'
        ? 'The transaction reverted without saying why.'
        : 'The transaction reverted with an error that no contract of the venue has; a token may have refused it.'
    return { name: 'Unknown', args: { data }, explanation }
  }
  const { errorName, abiItem } = decoded
  const values: readonly unknown[] = decoded.args ?? []
  const args = abiItem.inputs.map(({ name }, index) => [name ?? String(index), String(values[index])])
  const explanation = BUILT_IN[errorName] ?? REVERT_EXPLANATIONS[errorName] ?? ''
  return { name: errorName, args: Object.fromEntries(args), explanation }
}

/** The errors that the language itself has. */
const BUILT_IN: Readonly<Record<string, string>> = {
  Error: 'A contract refused the transaction with the message given here.',
  Panic: 'A contract met an arithmetic or internal fault. Tell the operator.',
}
