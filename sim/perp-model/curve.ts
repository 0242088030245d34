/**
 * The constant-liquidity curve: base and quote between two square-root prices, and the price a base amount leads to.
 * Source: perp-protocol 3.2.
 */
import { Q96 } from './tick.ts'
import { abs, divUp } from './wad.ts'

type Rounding = 'up' | 'down'

const UINT256_RANGE = 2n ** 256n

/** Base (WAD) that liquidity holds between two square-root prices, in either order. */
export function deltaBase(sqrtA: bigint, sqrtB: bigint, liquidity: bigint, rounding: Rounding): bigint {
  const [low, high] = sqrtA < sqrtB ? [sqrtA, sqrtB] : [sqrtB, sqrtA]
  const divide = rounding === 'up' ? divUp : (x: bigint, y: bigint) => x / y
  return divide(divide(liquidity * Q96 * (high - low), high), low)
}

/** Quote (WAD) that liquidity holds between two square-root prices, in either order. */
export function deltaQuote(sqrtA: bigint, sqrtB: bigint, liquidity: bigint, rounding: Rounding): bigint {
  const product = liquidity * abs(sqrtA - sqrtB)
  return rounding === 'up' ? divUp(product, Q96) : product / Q96
}

/** Square-root price after a taker buys (`size > 0`) or sells (`size < 0`) base, rounded up. */
export function nextSqrt(sqrtPX96: bigint, liquidity: bigint, size: bigint): bigint {
  const numerator = liquidity * Q96
  const product = abs(size) * sqrtPX96
  if (size > 0n) return divUp(numerator * sqrtPX96, numerator - product)
  // The contract's first form works in 256 bits and gives way to the second, less exact one where it would overflow.
  if (numerator + product < UINT256_RANGE && product < UINT256_RANGE) {
    return divUp(numerator * sqrtPX96, numerator + product)
  }
  return divUp(numerator, numerator / sqrtPX96 + abs(size))
}

type CurveStep = {
  readonly sqrtPX96: bigint
  /** Base exchanged, unsigned. */
  readonly base: bigint
  /** Quote paid (long) or received (short), unsigned. */
  readonly quote: bigint
  readonly reached: boolean
}

/** Moves along one liquidity segment towards `target` with at most `|size|` of base. */
export function stepCurve(sqrtPX96: bigint, target: bigint, liquidity: bigint, size: bigint): CurveStep {
  const rounding = size > 0n ? 'up' : 'down'
  const most = deltaBase(sqrtPX96, target, liquidity, 'up')
  const suffices = abs(size) >= most
  // Rounding can bring the price to the target although a wei of the segment is left: that counts as reached, too.
  const post = suffices ? target : nextSqrt(sqrtPX96, liquidity, size)
  const base = suffices ? most : abs(size)
  return { sqrtPX96: post, base, quote: deltaQuote(sqrtPX96, post, liquidity, rounding), reached: post === target }
}
