/** A taker's trade through the curve and the limit orders on its way, without writing anything. Source: perp-protocol 3.3. */
import type { Amm } from './amm.ts'
import { stepCurve } from './curve.ts'
import { currentLeft, isInitialised, NO_PEARL, type Pearl, type Record, takeGeneration } from './pearl.ts'
import { Revert } from './revert.ts'
import { sqrtToTick, tickToPrice, tickToSqrt } from './tick.ts'
import { abs, min, sign, wmul } from './wad.ts'

type Pearls = ReadonlyMap<number, Pearl>

export type SwapResult = {
  readonly sqrtPX96: bigint
  readonly tick: number
  readonly liquidity: bigint
  /** Total quote value, WAD. */
  readonly entryNotional: bigint
  /** Part taken from limit orders: unsigned base, and its value. */
  readonly takenSize: bigint
  readonly takenValue: bigint
  /** Fees credited to makers, WAD. */
  readonly makerFee: bigint
  /** Pearls whose orders were taken, after the trade. */
  readonly pearls: Pearls
  readonly records: readonly { readonly tick: number; readonly nonce: number; readonly record: Record }[]
}

type Progress = { -readonly [K in keyof SwapResult]: SwapResult[K] } & {
  pearls: Map<number, Pearl>
  records: { tick: number; nonce: number; record: Record }[]
  /** Base still to trade, unsigned. */
  remaining: bigint
}

/** Trades `size` (signed base, not zero). Reverts `TradeOutOfLiquidity`. */
export function swap(amm: Amm, pearls: Pearls, size: bigint, rebateWad: bigint): SwapResult {
  const isLong = size > 0n
  const progress: Progress = {
    sqrtPX96: amm.sqrtPX96,
    tick: amm.tick,
    liquidity: amm.liquidity,
    entryNotional: 0n,
    takenSize: 0n,
    takenValue: 0n,
    makerFee: 0n,
    pearls: new Map(),
    records: [],
    remaining: abs(size),
  }
  // The price may stand on a tick whose sell orders an earlier long did not exhaust.
  if (isLong) takeOrders(progress, amm, pearls, amm.tick, size, rebateWad)

  while (progress.remaining > 0n) {
    // For a short the tick the price stands on is the first to be met.
    const target = nextInitialisedTick(pearls, isLong ? progress.tick : progress.tick + 1, isLong)
    if (target === undefined) throw new Revert('TradeOutOfLiquidity')
    const step = stepCurve(progress.sqrtPX96, tickToSqrt(target), progress.liquidity, sign(size) * progress.remaining)
    progress.sqrtPX96 = step.sqrtPX96
    progress.entryNotional += step.quote
    progress.remaining -= step.base
    if (step.reached) arrive(progress, amm, pearls, target, size, rebateWad)
    else progress.tick = tickBetween(progress, isLong)
  }
  const { remaining: _, ...result } = progress
  return result
}

/** At a tick: take the opposite orders, then cross its liquidity edges. A short that ends exactly there does not cross. */
function arrive(progress: Progress, amm: Amm, pearls: Pearls, tick: number, size: bigint, rebateWad: bigint): void {
  const isLong = size > 0n
  takeOrders(progress, amm, pearls, tick, size, rebateWad)
  const crosses = isLong || progress.remaining > 0n
  if (crosses) progress.liquidity += sign(size) * liquidityNetAt(pearls, tick)
  progress.tick = !isLong && crosses ? tick - 1 : tick
}

/**
 * The tick of a price between initialised ticks. A short may have crossed an edge with too little base left to move the
 * price below it: it stays left of the edge, or the next short would cross the same liquidity once more.
 */
function tickBetween({ sqrtPX96, tick }: Progress, isLong: boolean): number {
  return isLong ? sqrtToTick(sqrtPX96) : Math.min(sqrtToTick(sqrtPX96), tick)
}

function liquidityNetAt(pearls: Pearls, tick: number): bigint {
  return pearls.get(tick)?.liquidityNet ?? 0n
}

/** Takes the orders at a tick, one generation after the other. What the taker pays is one value of the whole size. */
function takeOrders(progress: Progress, amm: Amm, pearls: Pearls, tick: number, size: bigint, rebateWad: bigint): void {
  let pearl = pearls.get(tick) ?? NO_PEARL
  if (progress.remaining === 0n || sign(pearl.left) !== -sign(size)) return
  const priceWad = tickToPrice(tick)
  let unpaid = min(progress.remaining, abs(pearl.left))
  let unpaidValue = wmul(priceWad, unpaid)
  progress.remaining -= unpaid
  progress.takenSize += unpaid
  progress.takenValue += unpaidValue
  progress.entryNotional += unpaidValue
  while (unpaid > 0n) {
    const taken = min(unpaid, abs(currentLeft(pearl)))
    const value = taken === unpaid ? unpaidValue : wmul(priceWad, taken)
    const take = takeGeneration(pearl, amm, -sign(size) * taken, value, rebateWad)
    if (take.record) progress.records.push({ tick, nonce: pearl.nonce, record: take.record })
    progress.makerFee += take.makerFee
    progress.pearls.set(tick, take.pearl)
    unpaid -= taken
    unpaidValue -= value
    pearl = take.pearl
  }
}

/** The nearest initialised tick strictly right of `from` (long) or strictly left of it (short). */
export function nextInitialisedTick(pearls: Pearls, from: number, rightwards: boolean): number | undefined {
  let nearest: number | undefined
  for (const [tick, pearl] of pearls) {
    const isAhead = rightwards ? tick > from : tick < from
    const isNearer = nearest === undefined || Math.abs(tick - from) < Math.abs(nearest - from)
    if (isAhead && isNearer && isInitialised(pearl)) nearest = tick
  }
  return nearest
}
