import { contractAddress } from '../../chain/deployment.ts'
import type { Hex } from '../../chain/types.ts'
import { PreparedJson } from '../../http/prepared-json.ts'
import type { BlockInfo, Venue } from '../../http/product.ts'
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

/** Gives a pair's books, at once where they are known; with a height, of that block or a later one where the chain has come so far. */
export type Books = (instrument: ListedInstrument, expiry: number, atLeast?: bigint) => PairBooks | Promise<PairBooks>

/** The books of a pair, whose levels depend on the margin ratio. */
interface PairReading {
  readonly expiry: number
  readonly initialMarginRatio: number
  readonly reading: SharedReading<PairBooks>
}

type BookVenue = Pick<Venue, 'rpc' | 'deployment'>

/**
 * Returns the function that gives a pair's books at the newest block: read once a block, and shared by those who ask at the same time.
 * Throws `pair_unknown` and `perp_chain_unreachable`.
 */
export function openBooks(venue: BookVenue): Books {
  const readings = new Map<Hex, readonly PairReading[]>()
  const head = shareNext(() => readHead(venue.rpc))
  const readingOf = (instrument: ListedInstrument, expiry: number): PairReading => {
    const { address, initialMarginRatio } = instrument
    const known = readings.get(address) ?? []
    const found = known.find((one) => one.expiry === expiry && one.initialMarginRatio === initialMarginRatio)
    if (found) return found
    const reading = sharedReading(ofEachHead(head, (block) => readBooks(venue, instrument, expiry, block)))
    const opened = { expiry, initialMarginRatio, reading }
    readings.set(address, [...known, opened])
    return opened
  }
  // Whoever asks for pairs that there are not must not fill the memory.
  const forget = (address: Hex, one: PairReading) => {
    const others = readings.get(address)?.filter((other) => other !== one) ?? []
    if (others.length > 0) readings.set(address, others)
    else readings.delete(address)
  }
  return (instrument, expiry, atLeast) => {
    const one = readingOf(instrument, expiry)
    const books = one.reading(atLeast)
    if (!(books instanceof Promise)) return books
    return books.catch((error) => {
      forget(instrument.address, one)
      throw error
    })
  }
}

/** Reads of the newest block, and not again while it is the newest. */
function ofEachHead<T>(newest: () => Promise<NamedBlock>, read: (block: NamedBlock) => Promise<T>): () => Promise<T> {
  let last: { readonly hash: NamedBlock['hash']; readonly value: T } | null = null
  return async () => {
    const head = await newest()
    if (last?.hash !== head.hash) last = { hash: head.hash, value: await read(head) }
    return last.value
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
