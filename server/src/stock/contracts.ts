import type { Deployment, Hex } from '../chain/types.ts'
import { AppError } from '../lib/errors.ts'
import { stockReasons } from './reasons.ts'

/** The product's contracts by the names they have in a deployment file. */
export type StockContract = 'StockRouter' | 'Cashier' | 'Stock' | 'StockOracle'

/** The address of one of the product's contracts. Throws `deployment_incomplete` when the file does not name it. */
export function contractAddress(deployment: Deployment, name: StockContract): Hex {
  const address = deployment.contracts[name]
  if (address) return address
  throw new AppError(stockReasons.deployment_incomplete, `the deployment of chain ${deployment.chainId} has no ${name}`)
}
