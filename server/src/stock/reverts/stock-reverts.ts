import { type Abi, toFunctionSelector } from 'viem'
import { cashierAbi } from '../../chain/abi/cashier.ts'
import { complianceAbi } from '../../chain/abi/compliance.ts'
import { stockAbi } from '../../chain/abi/stock.ts'
import { stockOracleAbi } from '../../chain/abi/stock-oracle.ts'
import { stockRouterAbi } from '../../chain/abi/stock-router.ts'
import { stockTokenAbi } from '../../chain/abi/stock-token.ts'
import { stockTokenFactoryAbi } from '../../chain/abi/stock-token-factory.ts'
import { type NamedRevert, revertsOf } from '../../chain/reverts.ts'
import type { Hex } from '../../chain/types.ts'
import { REVERT_EXPLANATIONS, USER_ERRORS } from './revert-explanations.ts'

const ABIS: readonly Abi[] = [
  stockRouterAbi,
  stockAbi,
  cashierAbi,
  stockOracleAbi,
  stockTokenAbi,
  complianceAbi,
  stockTokenFactoryAbi,
]

/** The reverts of the product's contracts and of what they are built with. */
export const stockReverts = revertsOf(ABIS, REVERT_EXPLANATIONS)

/** What a revert means and what would be right; of one that is none of the product's, the raw data. */
export function explainRevert(data: Hex): NamedRevert {
  const explanation =
    data === '0x'
      ? 'The transaction reverted without saying why.'
      : 'The transaction reverted with an error that no contract of the venue has; a token may have refused it.'
  return stockReverts.explain(data) ?? { name: 'Unknown', args: { data }, explanation }
}

/** What reaches a user, by the first four bytes of the revert: for a page whose wallet hears of a revert by bytes alone. */
export function userReverts(): Readonly<Record<string, string>> {
  const told = ABIS.flat().flatMap((item) => {
    const text = item.type === 'error' ? USER_ERRORS[item.name] : undefined
    if (item.type !== 'error' || text === undefined) return []
    const types = item.inputs.map(({ type }) => type)
    return [[toFunctionSelector(`${item.name}(${types.join(',')})`), text] as const]
  })
  return Object.fromEntries(told)
}
