import type { Venue } from '../http/product.ts'
import { type Instruments, openInstruments } from './listing/catalogue.ts'
import { openBooks } from './market-data/books.ts'

/** What the product's operations work with. */
export interface PerpContext {
  readonly venue: Venue
  readonly chainId: number
  instruments(): Promise<Instruments>
  /** See `openBooks`. */
  readonly books: ReturnType<typeof openBooks>
}

export function perpContext(venue: Venue): PerpContext {
  return {
    venue,
    chainId: venue.deployment.chainId,
    instruments: openInstruments(venue),
    books: openBooks(venue),
  }
}
