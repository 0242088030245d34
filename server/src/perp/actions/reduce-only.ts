import { abs } from '../../lib/bigints.ts'
import { formatUnits } from '../../lib/decimal.ts'
import { AppError } from '../../lib/errors.ts'
import { WAD_DECIMALS } from '../../lib/wad.ts'
import { perpReasons } from '../reasons.ts'

/**
 * Refuses a trade that would open a position, make it larger or turn it round; signed base. Throws `position_missing`,
 * `reduce_only_would_increase`, `size_above_position`.
 */
export function requireReduction(held: bigint, size: bigint): void {
  if (held === 0n) {
    throw new AppError(perpReasons.position_missing, 'the wallet has no position in this pair that could be reduced')
  }
  if (held > 0n === size > 0n) {
    const message = `the position is ${held > 0n ? 'long' : 'short'}, so that side must be ${held > 0n ? '1 (short)' : '2 (long)'} to reduce it`
    throw new AppError(perpReasons.reduce_only_would_increase, message, { detail: { field: 'side' } })
  }
  requireWithin(held, abs(size))
}

/** Throws `size_above_position`. */
export function requireWithin(held: bigint, size: bigint): void {
  if (size <= abs(held)) return
  const message = `size must be at most ${formatUnits(abs(held), WAD_DECIMALS)}, which the position has`
  throw new AppError(perpReasons.size_above_position, message, { detail: { field: 'size' } })
}
