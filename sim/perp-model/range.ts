/** A liquidity range: margin becomes liquidity between two ticks, and later a position. Source: perp-protocol 2.6, 3.8. */
import type { Amm } from './amm.ts'
import { deltaBase, deltaQuote } from './curve.ts'
import { openPosition, type Position } from './position.ts'
import { Q96, sqrtToPrice, tickToSqrt } from './tick.ts'
import { abs, max, min, ratioToWad, wmul, wmulDown, wmulTruncated, wmulUp } from './wad.ts'

export type Range = {
  readonly liquidity: bigint
  readonly entryFeeIndex: bigint
  /** Margin the provider deposited, WAD. */
  readonly balance: bigint
  readonly sqrtEntryPX96: bigint
}

export type RangeTicks = { readonly tickLower: number; readonly tickUpper: number }

const UINT24 = 0x100_0000

/** The storage key `uint24(tickLower) << 24 | uint24(tickUpper)`. */
export function rangeKey({ tickLower, tickUpper }: RangeTicks): number {
  return toUint24(tickLower) * UINT24 + toUint24(tickUpper)
}

export function rangeTicks(rid: number): RangeTicks {
  return { tickLower: toInt24(Math.floor(rid / UINT24)), tickUpper: toInt24(rid % UINT24) }
}

export function toUint24(tick: number): number {
  return tick < 0 ? tick + UINT24 : tick
}

export function toInt24(word: number): number {
  return word >= UINT24 / 2 ? word - UINT24 : word
}

/** Liquidity such that the position the range would become at either edge still covers the initial margin. */
export function liquidityFor(margin: bigint, sqrtPX96: bigint, ticks: RangeTicks, initialMarginRatio: number): bigint {
  const imr = ratioToWad(initialMarginRatio)
  const byEdge = (sqrtEdge: bigint) => {
    const width = abs(sqrtEdge - sqrtPX96)
    return (((margin * sqrtPX96) / width) * Q96) / (width + wmulUp(sqrtEdge, imr))
  }
  return min(byEdge(tickToSqrt(ticks.tickUpper)), byEdge(tickToSqrt(ticks.tickLower)))
}

/** Least liquidity worth `minRangeValue` (WAD quote) at this price. */
export function minLiquidity(minRangeValue: bigint, sqrtPX96: bigint): bigint {
  return (minRangeValue * Q96) / (2n * sqrtPX96)
}

/** Base the range held when it was added, rounded up: what its owner owes the curve. */
export function entryBase(range: Range, { tickUpper }: RangeTicks): bigint {
  return deltaBase(range.sqrtEntryPX96, tickToSqrt(tickUpper), range.liquidity, 'up')
}

/** Trading fees earned so far, WAD. */
export function feeEarned(range: Range, feeIndex: bigint): bigint {
  return wmulDown(feeIndex - range.entryFeeIndex, range.liquidity)
}

/**
 * The position a range becomes when removed now: what it holds less what it owes, settled at the fair price. One wei of
 * the balance stays behind against rounding.
 */
export function toPosition(range: Range, ticks: RangeTicks, amm: Amm): Position {
  const lower = tickToSqrt(ticks.tickLower)
  const upper = tickToSqrt(ticks.tickUpper)
  const { liquidity, sqrtEntryPX96, balance: margin } = range
  const base = amm.tick < ticks.tickUpper ? deltaBase(max(amm.sqrtPX96, lower), upper, liquidity, 'up') : 0n
  const quote = amm.tick >= ticks.tickLower ? deltaQuote(lower, min(amm.sqrtPX96, upper), liquidity, 'up') : 0n
  const fair = sqrtToPrice(amm.sqrtPX96)
  const size = base - entryBase(range, ticks)
  const quoteGain = quote - deltaQuote(lower, sqrtEntryPX96, liquidity, 'up')
  const baseGain = wmulTruncated(size, fair)
  const balance = margin + feeEarned(range, amm.feeIndex) + baseGain + quoteGain - 1n
  return openPosition(amm, balance, size, wmul(fair, abs(size)))
}
