import type { Hex } from '../../chain/types.ts'
import type { Caller } from '../../http/product.ts'
import { AppError } from '../../lib/errors.ts'
import { stockReasons } from '../reasons.ts'

/** The wallet that a request names, lower-case; of a bound key it must be the bound one. Throws `user_not_bound`. */
export function requireBoundUser(caller: Caller, userAddress: string): Hex {
  const user = userAddress.toLowerCase() as Hex
  if (caller.userAddress === null || caller.userAddress === user) return user
  const message = `userAddress must be ${caller.userAddress}, the wallet this API key is bound to, got ${userAddress}`
  throw new AppError(stockReasons.user_not_bound, message, { detail: { field: 'userAddress' } })
}
