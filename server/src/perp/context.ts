import type { Venue } from '../http/product.ts'
import { type Instruments, openInstruments } from './listing/catalogue.ts'
import { openBooks } from './market-data/books.ts'
import { openSummary } from './market-data/summary.ts'

/** What the product's operations work with. */
export interface PerpContext {
  readonly venue: Venue
  readonly chainId: number
  instruments(): Promise<Instruments>
  /** See `openBooks`. */
  readonly books: ReturnType<typeof openBooks>
  /** See `openSummary`. */
  readonly summary: ReturnType<typeof openSummary>
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
