import { DEFAULT_GAS_PER_DAY } from '../delegation/submit.ts'
import type { Venue } from '../http/product.ts'
import { type Instruments, openInstruments } from './listing/catalogue.ts'
import { type Books, openBooks } from './market-data/books.ts'
import type { SharedReading } from './market-data/shared-reading.ts'
import { type MarketSummary, openSummary } from './market-data/summary.ts'
import { PERP_PRODUCT, type PerpSettings } from './variables.ts'

/** What the product's operations work with. */
export interface PerpContext {
  readonly venue: Venue
  readonly chainId: number
  /** The `productType` in the scopes of its API keys. */
  readonly productType: string
  /** Gas that the One Click sends of one API key may use in 24 hours. */
  readonly submitGasPerDay: bigint
  instruments(): Promise<Instruments>
  /** See `openBooks`. */
  readonly books: Books
  /** See `openSummary`. */
  readonly summary: SharedReading<MarketSummary>
}

export function perpContext(
  venue: Venue,
  { submitGasPerDay = DEFAULT_GAS_PER_DAY }: Partial<Pick<PerpSettings, 'submitGasPerDay'>> = {},
): PerpContext {
  const instruments = openInstruments(venue)
  return {
    venue,
    chainId: venue.deployment.chainId,
    productType: PERP_PRODUCT,
    submitGasPerDay,
    instruments,
    books: openBooks(venue),
    summary: openSummary(venue, instruments),
  }
}
