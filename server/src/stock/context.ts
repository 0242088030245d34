import { contractAddress } from '../chain/deployment.ts'
import type { Hex } from '../chain/types.ts'
import type { UserSends } from '../delegation/send.ts'
import type { SendDesk } from '../delegation/send-desk.ts'
import type { Venue } from '../http/product.ts'
import { type CatalogueReader, openCatalogue } from './listing/catalogue.ts'
import type { SentClaims } from './recording/claim-store.ts'
import type { MappingRow } from './recording/mapping-store.ts'
import { stockSends } from './sending/send.ts'
import type { StockSettings } from './variables.ts'

/** What the product's operations work with. */
export interface StockContext {
  readonly venue: Venue
  readonly chainId: number
  /** The exact value of `x-api-p`. */
  readonly productType: string
  readonly router: Hex
  /** Gas that the One Click sends for one wallet may use in 24 hours, by whichever key and of every product on the chain. */
  readonly submitGasPerDay: bigint
  readonly sends: UserSends<MappingRow, SentClaims>
  readonly catalogue: CatalogueReader
}

/** The one context of the product in a process, over the desk that it shares with other products. */
export function stockContext(
  venue: Venue,
  { productType, submitGasPerDay }: Pick<StockSettings, 'productType' | 'submitGasPerDay'>,
  desk: SendDesk,
): StockContext {
  const { sql, clock, deployment } = venue
  const { chainId } = deployment
  const catalogue = openCatalogue({ sql, chainId, productType, clock })
  const router = contractAddress(deployment, 'StockRouter')
  return {
    venue,
    chainId,
    productType,
    router,
    submitGasPerDay,
    sends: stockSends(venue, desk, { chainId, budget: submitGasPerDay }),
    catalogue,
  }
}
