import type { MasterKeys } from '../auth/secrets.ts'
import type { Product } from '../http/product.ts'
import type { Market } from '../market/tasks.ts'
import { stock } from '../stock/index.ts'
import type { BufferTargets } from '../stock/keeper/refill-buffers.ts'
import { stockScheme } from '../stock/scheme.ts'
import { DEFAULT_STREAM_SETTINGS, type StreamSettings, stockServices } from '../stock/services.ts'
import type { MountedProduct } from './api.ts'

export interface ProductSettings {
  readonly chainId: number
  readonly stockPrefix: string
  readonly stockProduct: string
  /** Gas that one API key's One Click sends may use in 24 hours. */
  readonly submitGasPerDay?: bigint
  readonly buffers?: BufferTargets
  readonly streams?: StreamSettings
}

export interface VenueProduct extends MountedProduct {
  readonly product: Product<Market>
}

/** Every product of the venue; a third one is one more entry. */
export const venueProducts = (settings: ProductSettings): readonly VenueProduct[] => [
  {
    product: stock(settings.stockProduct, settings.submitGasPerDay, settings.buffers),
    prefix: settings.stockPrefix,
    owns: '/api/v1',
    scheme: (verifier) => stockScheme(verifier, { chainId: settings.chainId, productType: settings.stockProduct }),
    services: (masterKeys: MasterKeys) =>
      stockServices(settings.stockProduct, masterKeys, settings.streams ?? DEFAULT_STREAM_SETTINGS),
  },
]
