import { cashierAbi } from '../../chain/abi/cashier.ts'
import { complianceAbi } from '../../chain/abi/compliance.ts'
import { stockAbi } from '../../chain/abi/stock.ts'
import { stockOracleAbi } from '../../chain/abi/stock-oracle.ts'
import { stockRouterAbi } from '../../chain/abi/stock-router.ts'
import { stockTokenAbi } from '../../chain/abi/stock-token.ts'
import { stockTokenFactoryAbi } from '../../chain/abi/stock-token-factory.ts'
import { type NamedRevert, revertsOf } from '../../chain/reverts.ts'
import type { Hex } from '../../chain/types.ts'
import { REVERT_EXPLANATIONS } from './revert-explanations.ts'

/** The reverts of the product's contracts and of what they are built with. */
export const stockReverts = revertsOf(
  [stockRouterAbi, stockAbi, cashierAbi, stockOracleAbi, stockTokenAbi, complianceAbi, stockTokenFactoryAbi],
  REVERT_EXPLANATIONS,
)

/** What a revert means and what would be right; of one that is none of the product's, the raw data. */
export function explainRevert(data: Hex): NamedRevert {
  const explanation =
    data === '0x'
      ? 'The transaction reverted without saying why.'
      : 'The transaction reverted with an error that no contract of the venue has; a token may have refused it.'
  return stockReverts.explain(data) ?? { name: 'Unknown', args: { data }, explanation }
}
