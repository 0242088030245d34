import { contractAddress } from '../../chain/deployment.ts'
import { type BlockInfo, PreparedJson, type Venue } from '../../http/product.ts'
import { AppError } from '../../lib/errors.ts'
import { shareNext } from '../../lib/share-next.ts'
import type { ListedInstrument } from '../listing/catalogue.ts'
import type { NamedBlock } from '../listing/pair.ts'
import { perpReasons } from '../reasons.ts'
import { bookReach } from './order-book.ts'
import { booksView } from './order-book-view.ts'
import { readDepth, readHead } from './pair-reader.ts'
import { type SharedReading, sharedReading } from './shared-reading.ts'

/** The books of a pair, as of a block. */
export interface PairBooks {
  readonly block: BlockInfo
  /** `booksView`. */
  readonly json: PreparedJson
  /** Changes when a level does: the books without their block. */
  readonly levels: string
}

/** Gives a pair's books: those of a block, or of the newest one. */
export type Books = (instrument: ListedInstrument, expiry: number, block?: NamedBlock) => Promise<PairBooks>

type BookVenue = Pick<Venue, 'rpc' | 'deployment'>

/** The readings of one pair. */
interface PairReadings {
  readonly at: (block: NamedBlock) => Promise<PairBooks>
  readonly newest: SharedReading<PairBooks>
}

/**
 * Returns the function that gives a pair's books: read once a block, and shared by those who ask at the same time. Of a block that the
 * node does not have the newest it has are given. Throws `pair_unknown` and `perp_chain_unreachable`.
 */
export function openBooks(venue: BookVenue): Books {
  const readings = new Map<string, PairReadings>()
  const head = shareNext(() => readHead(venue.rpc))
  const open = (instrument: ListedInstrument, expiry: number): PairReadings => {
    const at = onceABlock((block) => readBooks(venue, instrument, expiry, block))
    return { at, newest: sharedReading(async () => at(await head())) }
  }
  return async (instrument, expiry, block) => {
    const key = `${instrument.address} ${expiry} ${instrument.initialMarginRatio}`
    const reading = readings.get(key) ?? open(instrument, expiry)
    readings.set(key, reading)
    const books = block ? reading.at(block).catch(() => reading.newest(block.height)) : reading.newest()
    return books.catch((error) => {
      // Whoever asks for pairs that there are not must not fill the memory.
      readings.delete(key)
      throw error
    })
  }
}

/** Reads each block once, as long as nobody asks for another one; a failure is kept for nobody. */
function onceABlock<T>(read: (block: NamedBlock) => Promise<T>): (block: NamedBlock) => Promise<T> {
  let last: { readonly hash: NamedBlock['hash']; readonly value: Promise<T> } | null = null
  return (block) => {
    if (last?.hash === block.hash) return last.value
    const started = { hash: block.hash, value: read(block) }
    started.value.catch(() => {
      if (last === started) last = null
    })
    last = started
    return started.value
  }
}

async function readBooks(
  { rpc, deployment }: BookVenue,
  { address, symbol, initialMarginRatio }: ListedInstrument,
  expiry: number,
  block: NamedBlock,
): Promise<PairBooks> {
  const observer = contractAddress(deployment, 'Observer')
  const pair = { instrument: address, expiry }
  const depth = await readDepth(rpc, observer, pair, bookReach(initialMarginRatio), block)
  if (depth.sqrtPX96 === 0n) throw pairUnknown(symbol, expiry)
  const view = booksView(depth, initialMarginRatio, block)
  return { block, json: new PreparedJson(view), levels: JSON.stringify(Object.values(view).map(levelsOf)) }
}

const levelsOf = ({ bids, asks }: ReturnType<typeof booksView>[string]) => [bids, asks]

/** The failure of an instrument that has no such expiry. */
export const pairUnknown = (symbol: string, expiry: number): AppError =>
  new AppError(
    perpReasons.pair_unknown,
    `${symbol} has no pair that expires at ${expiry}; leave expiry out for the perpetual`,
  )
