import type { Hex } from '../chain/types.ts'
import type { Caller } from '../http/caller.ts'
import { AppError } from '../lib/errors.ts'
import { authReasons } from './reasons.ts'

/** The wallet that a key acts for, lower-case. Throws `key_not_bound`. */
export function boundUser({ userAddress }: Caller): Hex {
  if (userAddress !== null) return userAddress
  const message =
    'this API key is bound to no wallet, and this acts for the bound wallet: use a key that is bound to one'
  throw new AppError(authReasons.key_not_bound, message)
}

/** The wallet that a request names in a field, lower-case; of a bound key it must be the bound one. Throws `user_not_bound`. */
export function requireBoundUser(caller: Caller, userAddress: string, field = 'userAddress'): Hex {
  const user = userAddress.toLowerCase() as Hex
  if (caller.userAddress === null || caller.userAddress === user) return user
  const message = `${field} must be ${caller.userAddress}, the wallet this API key is bound to, got ${userAddress}`
  throw new AppError(authReasons.user_not_bound, message, { detail: { field } })
}
