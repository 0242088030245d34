import type { OpenProduct, Venue } from '../http/product.ts'
import { summaryOf } from '../reconciliation/report.ts'
import { sumHedges } from './keeper/hedges.ts'
import { listTokenSplits } from './keeper/split-store.ts'
import { latestStockReading, suppliesOf } from './reconciliation/supply.ts'

/**
 * Executions that stay with the venue (`hedges`), each token's supply, how broker, database and chain compare
 * (`reconciliation`), and the splits of tokens.
 */
export function stockStatus({ sql, deployment: { chainId } }: Venue): OpenProduct['status'] {
  return {
    hedges: () => sumHedges(sql, chainId),
    supply: async () => suppliesOf(await latestStockReading(sql, chainId)),
    reconciliation: async () => summaryOf(await latestStockReading(sql, chainId)),
    splits: () => listTokenSplits(sql, chainId),
  }
}
