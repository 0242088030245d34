import type { Registry } from 'prom-client'
import type { ChainProfile } from '../chain/profiles.ts'
import type { Venue } from '../http/product.ts'

/** What every role gets: the venue, the chain's profile and the signal that ends it. */
export interface RoleContext {
  readonly venue: Venue
  readonly profile: ChainProfile
  readonly metrics: Registry
  readonly signal: AbortSignal
}
