import { AppError } from '../../lib/errors.ts'
import type { Amm } from '../listing/observer.ts'
import type { PairState } from '../listing/pair.ts'
import type { Position } from '../maths/position.ts'
import { perpReasons } from '../reasons.ts'

/** The account's position in a pair. Throws `position_missing`. */
export function openPositionOf({ amm, portfolio }: PairState): { readonly amm: Amm; readonly position: Position } {
  if (amm !== null && portfolio.position.size !== 0n) return { amm, position: portfolio.position }
  throw new AppError(perpReasons.position_missing, 'the wallet has no position in this pair')
}
