import type { Hex } from '../../chain/types.ts'
import { abs, max } from '../../lib/bigints.ts'
import { type Call, placeCall, tradeCall } from '../calldata/calls.ts'
import type { PerpContext } from '../context.ts'
import { observed, type PairState, quoteToTick } from '../listing/pair.ts'
import { baseBetween } from '../maths/curve.ts'
import { minOrderValue, minTradeValue, orderMargin } from '../maths/position.ts'
import { tickToPrice, tickToSqrt } from '../maths/tick.ts'
import { movedBy, mulWad } from '../maths/wad.ts'
import { type Foretold, NOTHING_FORETOLD, named, type OrderOfAction, withQuotation } from './action.ts'
import { maxLeverageOf } from './fields.ts'
import { DEFAULT_SLIPPAGE_BPS, tradeTerms } from './trade-terms.ts'

/**
 * Ticks that a rest keeps from where the pair stands, or its trade leaves it: when the price has come towards the order by the
 * time it is mined, a rest in its way would revert the whole transaction.
 */
const CLEARANCE_TICKS = 10

/** A limit order that is to be margined. */
export interface LimitWish {
  readonly expiry: number
  /** Signed base. */
  readonly size: bigint
  readonly tick: number
  readonly leverage: bigint
  /** On top of the margin, as asked for; null where nothing is said. */
  readonly bufferBps: number | null
  readonly deadlineSec: number
}

/** One call of a limit order's transaction. */
export interface Leg {
  readonly call: Call
  readonly foretold: Foretold
  readonly order: OrderOfAction | null
}

/**
 * A limit order whose price the pair has reached: it trades as far as that price goes, what rests at it included, and the rest is placed
 * a few ticks clear of where that leaves it, so that no part is worse than the price. A rest worth less than the least order is traded along, if the
 * average stays within the price. Throws `would_revert`, `perp_chain_unreachable`.
 */
export async function crossingLegs(
  context: PerpContext,
  user: Hex,
  pair: PairState,
  wish: LimitWish,
): Promise<readonly Leg[]> {
  const { size, tick } = wish
  const { tick: now } = pair.stored
  const reach = await reachOf(context, pair, wish)
  if (reach === null || !mayTrade(pair, reach)) {
    return [placeLeg(user, pair, { ...wish, tick: restingTick(size, tick, now) })]
  }
  const rest = { ...wish, size: size - reach.size, tick: restingTick(size, tick, reach.quotation.postTick) }
  const isTrivial = mulWad(tickToPrice(rest.tick), abs(rest.size)) < minOrderValue(pair.instrument)
  if (abs(reach.size) >= abs(size) || isTrivial) {
    return [tradeLeg(user, await withQuotation(context, pair, size), wish)]
  }
  return [
    tradeLeg(user, { ...pair, quotation: reach.quotation }, { ...wish, size: reach.size }),
    placeLeg(user, pair, rest),
  ]
}

/** What may be traded within a limit: signed base, and what it costs. */
type Reach = Awaited<ReturnType<typeof quoteToTick>>

/** What a limit reaches, along the curve and of the orders up to its tick; null for nothing. */
async function reachOf(context: PerpContext, pair: PairState, { size, tick }: LimitWish): Promise<Reach | null> {
  const isHere = tick === pair.stored.tick
  // The contracts' reader counts a buy through what rests at the tick, and stops a sell before it; at the pair's own tick it counts nothing.
  const [toTick, resting] = await Promise.all([
    isHere ? null : named(quoteToTick(context.venue, pair, tick)),
    isHere || size < 0n ? restingAgainst(context, pair, size, tick) : 0n,
  ])
  if (resting === 0n) return toTick
  const reached = size > 0n ? resting : (toTick?.size ?? -withinTick(pair)) - resting
  const { quotation } = await withQuotation(context, pair, reached)
  return quotation && { size: reached, quotation }
}

/** Base that rests at a tick on the other side of an order; without sign. */
async function restingAgainst({ venue }: PerpContext, pair: PairState, size: bigint, tick: number): Promise<bigint> {
  const { block, instrument, expiry } = pair
  const [pearl] = await named(observed(venue, block, 'getPearls', [instrument.address, expiry, [tick]]))
  const left = pearl?.left ?? 0n
  return size > 0n ? max(0n, -left) : max(0n, left)
}

/** Base that takes the price down to the lower edge of the tick in which it stands. */
const withinTick = ({ stored: { liquidity, sqrtPX96, tick } }: PairState): bigint =>
  baseBetween(liquidity, sqrtPX96, tickToSqrt(tick), 'up')

/** Whether what is reached makes a trade: a flat account opens no position worth less than the least. */
const mayTrade = ({ portfolio, instrument }: PairState, { size, quotation }: Reach): boolean =>
  size !== 0n && (portfolio.position.size !== 0n || quotation.entryNotional >= minTradeValue(instrument))

/** Where an order may rest while the pair is at a tick, and comes some ticks nearer: on its own side, no worse than its price. */
const restingTick = (size: bigint, tick: number, pairTick: number): number =>
  size > 0n ? Math.min(tick, pairTick - 1 - CLEARANCE_TICKS) : Math.max(tick, pairTick + 1 + CLEARANCE_TICKS)

/** An order that rests, margined at its price or the mark; unless a buffer is asked for, with room for the mark to move. */
export function placeLeg(user: Hex, pair: PairState, { tick, size, leverage, bufferBps, ...time }: LimitWish): Leg {
  const price = tickToPrice(tick)
  const atLeverage = orderMargin(price, pair.mark, size, leverage, bufferBps ?? 0)
  const amount = bufferBps === null ? max(atLeverage, leastThoughMoved(pair, price, size)) : atLeverage
  return {
    call: placeCall(user, { ...time, tick, amount, size }),
    foretold: { ...NOTHING_FORETOLD, size, price, notional: mulWad(price, abs(size)), amount },
    order: { oid: null, tick, price, size, margin: amount },
  }
}

/** The least margin of an order, had the mark moved against it before inclusion. */
function leastThoughMoved({ mark, instrument }: PairState, price: bigint, size: bigint): bigint {
  return orderMargin(price, movedBy(mark, DEFAULT_SLIPPAGE_BPS), size, maxLeverageOf(instrument), 0)
}

function tradeLeg(user: Hex, pair: PairState, { size, leverage, tick: worstTick, ...time }: LimitWish): Leg {
  const { tick, amount, foretold } = tradeTerms(pair, { size, leverage, slippageBps: DEFAULT_SLIPPAGE_BPS, worstTick })
  return { call: tradeCall(user, { ...time, tick, amount, size }), foretold, order: null }
}
