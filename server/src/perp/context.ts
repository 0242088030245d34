import type { Venue } from '../http/product.ts'
import { type Instruments, openInstruments } from './listing/catalogue.ts'

/** What the product's operations work with. */
export interface PerpContext {
  readonly venue: Venue
  readonly chainId: number
  instruments(): Promise<Instruments>
}

export function perpContext(venue: Venue): PerpContext {
  return { venue, chainId: venue.deployment.chainId, instruments: openInstruments(venue) }
}
