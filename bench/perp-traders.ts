import { encodeFunctionData, erc20Abi, maxUint256 } from 'viem'
import { instrumentAbi } from '../server/src/chain/abi/instrument.ts'
import { contractRead, readContracts } from '../server/src/chain/read.ts'
import type { Rpc } from '../server/src/chain/rpc.ts'
import type { Hex } from '../server/src/chain/types.ts'
import { createRandom, type Random } from '../server/src/lib/testing-random.ts'
import { WAD } from '../server/src/lib/wad.ts'
import { cancelCall, placeCall, tradeCall } from '../server/src/perp/calldata/calls.ts'
import { PERPETUAL_EXPIRY } from '../server/src/perp/listing/catalogue.ts'
import { MAX_TICK, MIN_TICK, tickToPrice } from '../server/src/perp/maths/tick.ts'
import type { Dev } from './live-venue.ts'
import type { Sender } from './sender.ts'

const PAIR = { expiry: PERPETUAL_EXPIRY, deadlineSec: 4_000_000_000 }
/** Instruments whose market never closes. */
const OPEN_ALWAYS = ['BTC/USDC', 'ETH/USDC']
/** Between these many quote is what a trade or an order is worth. */
const [LEAST_WORTH, MOST_WORTH] = [200, 1000]
const LEVERAGE = 4n
/** How far from the price orders are placed, in ticks: about 0.05 to 2 percent. */
const [NEAREST, FARTHEST] = [5, 200]
/** Open orders of one account in one pair; the contract takes no more than 32. */
const MOST_OPEN = 8

interface Book {
  readonly instrument: Hex
  /** Where the price stood when the traders came. */
  readonly tick: number
  readonly priceWad: bigint
}

/** One account in one pair, as far as its own transactions tell. */
interface Place {
  readonly trader: Sender
  readonly book: Book
  heldWad: bigint
  readonly orders: Set<number>
}

/** Accounts of the development chain that trade perpetuals of which the market never closes, the same in every run of a seed. */
export class PerpTraders {
  readonly #places: readonly Place[]
  readonly #random: Random
  #turn = 0

  private constructor(places: readonly Place[], seed: number) {
    this.#places = places
    this.#random = createRandom(seed)
  }

  /** Lets Gate take what the accounts hold. */
  static async open(rpc: Rpc, { contracts, perp }: Dev, senders: readonly Sender[], seed = 1): Promise<PerpTraders> {
    const approval = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'approve',
      args: [contracts.Gate as Hex, maxUint256],
    })
    for (const sender of senders) await sender.send(contracts.USDC as Hex, approval)
    for (const sender of senders) await sender.mined()
    const open = perp.instruments.filter(({ symbol }) => OPEN_ALWAYS.includes(symbol))
    const reads = open.map(({ address }) => {
      return contractRead({ address, abi: instrumentAbi }, 'getAmm', PERPETUAL_EXPIRY)
    })
    const amms = await readContracts(rpc, reads)
    const books = open.map(({ address }, nth) => {
      const { tick } = amms[nth] as (typeof amms)[number]
      return { instrument: address, tick, priceWad: tickToPrice(tick) }
    })
    const places = senders.flatMap((trader) => {
      return books.map((book) => ({ trader, book, heldWad: 0n, orders: new Set<number>() }))
    })
    return new PerpTraders(places, seed)
  }

  /** The next transaction of the next account: six of ten trade, three place an order, one takes an order back. */
  act(): Promise<Hex> {
    const place = this.#places[this.#turn++ % this.#places.length] as Place
    const kind = this.#random.below(10)
    if (kind < 6) return this.#trade(place)
    return place.orders.size >= MOST_OPEN || (kind === 9 && place.orders.size > 0)
      ? this.#cancel(place)
      : this.#place(place)
  }

  /** A market order at any price. Whoever has a position closes it every other time. */
  #trade(place: Place): Promise<Hex> {
    const isClosing = place.heldWad !== 0n && this.#random.below(2) === 0
    const size = isClosing ? -place.heldWad : this.#size(place.book)
    const amount = isClosing ? 0n : marginOf(size, place.book)
    place.heldWad += size
    const tick = size > 0n ? MAX_TICK : MIN_TICK
    return send(place, tradeCall(place.trader.address, { ...PAIR, size, amount, tick }).own)
  }

  /** A limit order where it rests. */
  #place(place: Place): Promise<Hex> {
    const size = this.#size(place.book)
    const distance = NEAREST + this.#random.below(FARTHEST - NEAREST)
    const tick = place.book.tick + (size > 0n ? -distance : distance)
    if (place.orders.has(tick)) return this.#trade(place)
    place.orders.add(tick)
    const amount = marginOf(size, place.book)
    return send(place, placeCall(place.trader.address, { ...PAIR, size, amount, tick }).own)
  }

  #cancel(place: Place): Promise<Hex> {
    const tick = this.#random.pick([...place.orders])
    place.orders.delete(tick)
    return send(place, cancelCall(place.trader.address, PAIR, [tick]).own)
  }

  #size({ priceWad }: Book): bigint {
    const worth = BigInt(LEAST_WORTH + this.#random.below(MOST_WORTH - LEAST_WORTH))
    const size = (worth * WAD * WAD) / priceWad
    return this.#random.below(2) === 0 ? size : -size
  }
}

const marginOf = (size: bigint, { priceWad }: Book): bigint => ((size < 0n ? -size : size) * priceWad) / WAD / LEVERAGE

const send = ({ trader, book }: Place, data: Hex): Promise<Hex> => trader.send(book.instrument, data)
