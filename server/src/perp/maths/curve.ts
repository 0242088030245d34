import { divideUp } from '../../lib/wad.ts'
import { Q96 } from './tick.ts'

// The curve of constant liquidity between two square-root prices (contracts/src/perp/maths/Curve.sol; perp-protocol 3.2).

/** Base (WAD) that liquidity holds between two square-root prices in either order, rounded as told. */
export function baseBetween(liquidity: bigint, sqrtA: bigint, sqrtB: bigint, rounding: 'up' | 'down'): bigint {
  const [low, high] = sqrtA < sqrtB ? [sqrtA, sqrtB] : [sqrtB, sqrtA]
  const divide = rounding === 'up' ? divideUp : (dividend: bigint, divisor: bigint) => dividend / divisor
  return divide(divide(liquidity * Q96 * (high - low), high), low)
}
