import { contractAddress } from '../../chain/deployment.ts'
import { readHead } from '../../chain/node-head.ts'
import type { Hex } from '../../chain/types.ts'
import { PreparedJson } from '../../http/prepared-json.ts'
import type { BlockInfo, Venue } from '../../http/product.ts'
import { AppError } from '../../lib/errors.ts'
import { shareNext } from '../../lib/share-next.ts'
import type { ListedInstrument } from '../listing/catalogue.ts'
import type { NamedBlock } from '../listing/pair.ts'
import { perpReasons } from '../reasons.ts'
import { type BookWidth, bookReach, bookWidths } from './order-book.ts'
import { booksView } from './order-book-view.ts'
import { readDepth } from './pair-reader.ts'
import { type SharedReading, sharedReading } from './shared-reading.ts'

/** The books of a pair, as of a block. */
export interface PairBooks {
  readonly block: BlockInfo
  /** `booksView`. */
  readonly json: PreparedJson
  /** Changes when a level does: the books without their block. */
  readonly levels: string
}

/** Gives a pair's books, at once where they are known: those of a block, or of the newest one. */
export type Books = (instrument: ListedInstrument, expiry: number, block?: NamedBlock) => PairBooks | Promise<PairBooks>

/** The readings of a pair, whose levels depend on the margin ratio. */
interface PairReading {
  readonly expiry: number
  readonly initialMarginRatio: number
  readonly at: (block: NamedBlock) => Promise<PairBooks>
  readonly newest: SharedReading<PairBooks>
}

type BookVenue = Pick<Venue, 'rpc' | 'deployment'>

/**
 * Returns the function that gives a pair's books: read once a block, and shared by those who ask at the same time. Of a block that the
 * node does not have the newest it has are given. Throws `pair_unknown` and `perp_chain_unreachable`.
 */
export function openBooks(venue: BookVenue): Books {
  const readings = new Map<Hex, readonly PairReading[]>()
  const head = shareNext(() => readHead(venue.rpc))
  const readingOf = (instrument: ListedInstrument, expiry: number): PairReading => {
    const { address, initialMarginRatio } = instrument
    const known = readings.get(address) ?? []
    const found = known.find((one) => one.expiry === expiry && one.initialMarginRatio === initialMarginRatio)
    if (found) return found
    const widths = bookWidths(initialMarginRatio)
    const at = onceABlock((block) => readBooks(venue, instrument, expiry, widths, block))
    const opened = { expiry, initialMarginRatio, at, newest: sharedReading(async () => at(await head())) }
    readings.set(address, [...known, opened])
    return opened
  }
  // Whoever asks for pairs that there are not must not fill the memory.
  const forget = (address: Hex, one: PairReading) => {
    const others = readings.get(address)?.filter((other) => other !== one) ?? []
    if (others.length > 0) readings.set(address, others)
    else readings.delete(address)
  }
  return (instrument, expiry, block) => {
    const one = readingOf(instrument, expiry)
    const books = block ? one.at(block).catch(() => one.newest(block.height)) : one.newest()
    if (!(books instanceof Promise)) return books
    return books.catch((error) => {
      forget(instrument.address, one)
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
  { address, symbol }: ListedInstrument,
  expiry: number,
  widths: readonly BookWidth[],
  block: NamedBlock,
): Promise<PairBooks> {
  const observer = contractAddress(deployment, 'Observer')
  const pair = { instrument: address, expiry }
  const depth = await readDepth(rpc, observer, pair, bookReach(widths), block)
  if (depth.sqrtPX96 === 0n) throw pairUnknown(symbol, expiry)
  const view = booksView(depth, widths, block)
  return { block, json: new PreparedJson(view), levels: JSON.stringify(Object.values(view).map(levelsOf)) }
}

const levelsOf = ({ bids, asks }: ReturnType<typeof booksView>[string]) => [bids, asks]

/** The failure of an instrument that has no such expiry. */
export const pairUnknown = (symbol: string, expiry: number): AppError =>
  new AppError(
    perpReasons.pair_unknown,
    `${symbol} has no pair that expires at ${expiry}; leave expiry out for the perpetual`,
  )
