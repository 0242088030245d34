import { WAD } from '../../lib/wad.ts'
import { baseBetween } from '../maths/curve.ts'
import { alignDown, MAX_TICK, MIN_TICK, priceToTick, sqrtToPrice, tickToSqrt } from '../maths/tick.ts'
import { movedBy } from '../maths/wad.ts'

/** Levels of each side. */
export const LEVELS = 10

/** What stands at an initialised tick: liquidity that begins (upwards) there, and orders: buys positive, sells negative. */
export interface Pearl {
  readonly tick: number
  readonly liquidityNet: bigint
  readonly left: bigint
}

/** A pair's liquidity around its price. */
export interface Depth {
  readonly sqrtPX96: bigint
  readonly tick: number
  readonly liquidity: bigint
  /** Ascending. */
  readonly pearls: readonly Pearl[]
}

/** One level: what a taker gets between the level before and this tick, at the tick's price at worst. All WAD. */
export interface Level {
  readonly tick: number
  readonly price: bigint
  readonly baseSize: bigint
  readonly quoteSize: bigint
  readonly baseSum: bigint
  readonly quoteSum: bigint
}

/** Bids from high to low, asks from low to high. */
export interface OrderBook {
  readonly bids: readonly Level[]
  readonly asks: readonly Level[]
}

/** The steps of an instrument's books in basis points of the price, by its initial margin ratio (perp-protocol 6). */
export function bookRatios(initialMarginRatio: number): readonly number[] {
  if (initialMarginRatio <= 100) return [1, 10, 20, 40]
  if (initialMarginRatio >= 1000) return [1, 10, 100, 200]
  return [1, 10, Math.floor(initialMarginRatio / 10), Math.floor(initialMarginRatio / 5)]
}

/** Ticks between two levels of a ratio. */
export const stepOf = (ratio: number): number => priceToTick(movedBy(WAD, ratio)) + 1

/** One of an instrument's books: the width of its levels in basis points, and in ticks. */
export interface BookWidth {
  readonly ratio: number
  readonly step: number
}

/** The books of an instrument: a tick is searched for each, which takes as long as half of a book. */
export const bookWidths = (initialMarginRatio: number): readonly BookWidth[] =>
  bookRatios(initialMarginRatio).map((ratio) => ({ ratio, step: stepOf(ratio) }))

/** How far from the price books reach, in ticks. */
export const bookReach = (widths: readonly BookWidth[]): number =>
  (LEVELS + 1) * Math.max(...widths.map(({ step }) => step))

/**
 * The book of a pair in levels at whole multiples of `step` ticks: curve and resting orders together. Selling the bids' base down to
 * a level, or buying the asks' up to it, moves the price onto its tick and takes what rests there.
 */
export function orderBook(depth: Depth, step: number): OrderBook {
  return { bids: side(depth, step, false), asks: side(depth, step, true) }
}

/**
 * Walks away from the price, from one tick where something happens to the next. Amounts of asks are rounded down; so are those of
 * bids where orders or liquidity stand, else up, as the published client's book has them.
 */
function side(depth: Depth, step: number, isAsk: boolean): readonly Level[] {
  const direction = isAsk ? 1 : -1
  const first = alignDown(depth.tick, step) + direction * step
  const here = depth.pearls.find(({ tick }) => tick === depth.tick)
  const pearls = new Map(depth.pearls.map((pearl) => [pearl.tick, pearl]))
  let { sqrtPX96, liquidity } = depth
  let base = here ? resting(here, isAsk) : 0n
  const levels: Level[] = []
  for (const tick of stops(depth, step, isAsk)) {
    const pearl = tick === depth.tick ? undefined : pearls.get(tick)
    const target = tickToSqrt(tick)
    base += baseBetween(liquidity, sqrtPX96, target, isAsk || pearl ? 'down' : 'up')
    sqrtPX96 = target
    if (pearl) base += resting(pearl, isAsk)
    const crossed = pearl ?? (tick === depth.tick ? here : undefined)
    if (crossed) liquidity += isAsk ? crossed.liquidityNet : -crossed.liquidityNet
    if ((tick - first) % step !== 0 || (tick - first) * direction < 0) continue
    levels.push(level(tick, target, base, levels.at(-1)))
    base = 0n
  }
  return levels
}

/**
 * Ticks of the curve at which a side is measured, in the order of the walk. A buy stands above the orders of the tick it begins in,
 * a sell passes through that tick's lower end.
 */
function stops({ tick, pearls }: Depth, step: number, isAsk: boolean): readonly number[] {
  const aligned = alignDown(tick, step)
  const [from, to] = isAsk ? [tick + 1, aligned + LEVELS * step] : [aligned - LEVELS * step, tick]
  const boundaries = Array.from({ length: LEVELS + 1 }, (_, nth) => aligned + (isAsk ? nth : -nth) * step)
  const near = [isAsk ? tick + 1 : tick, ...boundaries, ...pearls.map((pearl) => pearl.tick)].filter(
    (one) => one >= Math.max(from, MIN_TICK) && one <= Math.min(to, MAX_TICK),
  )
  return [...new Set(near)].sort((a, b) => (isAsk ? a - b : b - a))
}

/** What rests at a tick for a buyer (sells) or for a seller (buys). */
function resting({ left }: Pearl, isAsk: boolean): bigint {
  const size = isAsk ? -left : left
  return size > 0n ? size : 0n
}

function level(tick: number, sqrtPX96: bigint, baseSize: bigint, before: Level | undefined): Level {
  const price = sqrtToPrice(sqrtPX96)
  const quoteSize = (price * baseSize) / WAD
  const baseSum = (before?.baseSum ?? 0n) + baseSize
  return { tick, price, baseSize, quoteSize, baseSum, quoteSum: (before?.quoteSum ?? 0n) + quoteSize }
}
