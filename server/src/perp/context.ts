import type { Venue } from '../http/product.ts'
import { type Instruments, openInstruments } from './listing/catalogue.ts'
import { type Books, openBooks } from './market-data/books.ts'
import type { SharedReading } from './market-data/shared-reading.ts'
import { type MarketSummary, openSummary } from './market-data/summary.ts'

/** What the product's operations work with. */
export interface PerpContext {
  readonly venue: Venue
  readonly chainId: number
  instruments(): Promise<Instruments>
  /** See `openBooks`. */
  readonly books: Books
  /** See `openSummary`. */
  readonly summary: SharedReading<MarketSummary>
}

export function perpContext(venue: Venue): PerpContext {
  const instruments = openInstruments(venue)
  return {
    venue,
    chainId: venue.deployment.chainId,
    instruments,
    books: openBooks(venue),
    summary: openSummary(venue, instruments),
  }
}
