import type { Auth } from '../auth/auth.ts'
import type { SendDesk } from '../delegation/send-desk.ts'
import type { Rooms } from '../http/product.ts'
import type { MarketListings } from './open.ts'
import type { Market } from './tasks.ts'

/** The rooms of the venue as its products meet them; here, since all of them can be named from here on. */
export interface VenueRooms extends Rooms {
  readonly auth: Auth
  readonly desk: SendDesk
  readonly market: Market
  readonly listings: MarketListings
}
