import type { UserSends } from '../delegation/send.ts'
import type { SendDesk } from '../delegation/send-desk.ts'
import type { Venue } from '../http/product.ts'
import { type InstrumentReader, openInstruments } from './listing/catalogue.ts'
import { type Books, openBooks } from './market-data/books.ts'
import { type AnswerAtNewest, answersAtNewest, openNewestBlock } from './market-data/newest-block.ts'
import { type MarketSummary, openSummary } from './market-data/summary.ts'
import { perpSends } from './sending/send.ts'
import type { SendRow, SentAction } from './sending/send-store.ts'
import { PERP_PRODUCT, type PerpSettings } from './variables.ts'

/** What the product's operations work with. */
export interface PerpContext {
  readonly venue: Venue
  readonly chainId: number
  /** The `productType` in the scopes of its API keys. */
  readonly productType: string
  /** Gas that the One Click sends for one wallet may use in 24 hours, by whichever key and of every product on the chain. */
  readonly submitGasPerDay: bigint
  /** What the relayer sends for wallets. */
  readonly sends: UserSends<SendRow, SentAction>
  readonly instruments: InstrumentReader
  /** See `openBooks`. */
  readonly books: Books
  /** See `openSummary`. */
  summary(): Promise<MarketSummary>
  /** See `answersAtNewest`. */
  readonly atNewest: AnswerAtNewest
}

/** The one context of the product in a process, over the desk that it shares with other products. */
export function perpContext(
  venue: Venue,
  { submitGasPerDay }: Pick<PerpSettings, 'submitGasPerDay'>,
  desk: SendDesk,
): PerpContext {
  const instruments = openInstruments(venue)
  const newest = openNewestBlock(venue)
  const { chainId } = venue.deployment
  return {
    venue,
    chainId,
    productType: PERP_PRODUCT,
    submitGasPerDay,
    sends: perpSends(venue, desk, { chainId, budget: submitGasPerDay }),
    instruments,
    books: openBooks(venue),
    summary: openSummary(venue, instruments, newest),
    atNewest: answersAtNewest(newest),
  }
}
