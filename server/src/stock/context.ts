import type { Hex } from '../chain/types.ts'
import { DEFAULT_GAS_PER_DAY } from '../delegation/submit.ts'
import type { Venue } from '../http/product.ts'
import { contractAddress } from './contracts.ts'
import { type Catalogue, openCatalogue } from './listing/catalogue.ts'

/** What the product's operations work with. */
export interface StockContext {
  readonly venue: Venue
  readonly chainId: number
  /** The exact value of `x-api-p`. */
  readonly productType: string
  readonly router: Hex
  /** Gas that the One Click sends of one API key may use in 24 hours. */
  readonly submitGasPerDay: bigint
  catalogue(): Promise<Catalogue>
}

export function stockContext(venue: Venue, productType: string, submitGasPerDay = DEFAULT_GAS_PER_DAY): StockContext {
  const { sql, clock, deployment } = venue
  const { chainId } = deployment
  const catalogue = openCatalogue({ sql, chainId, productType, clock })
  const router = contractAddress(deployment, 'StockRouter')
  return { venue, chainId, productType, router, submitGasPerDay, catalogue }
}
