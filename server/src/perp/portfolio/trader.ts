import Type from 'typebox'
import { boundUser, requireBoundUser } from '../../auth/bound-user.ts'
import type { Hex } from '../../chain/types.ts'
import type { Caller } from '../../http/caller.ts'
import { addressSchema } from '../../http/schemas.ts'
import type { PerpContext } from '../context.ts'
import { chainIdProperty, checkChainId } from '../schemas.ts'

/** Accepted by every operation on an account: both are known from the headers. */
export const accountQuery = {
  address: Type.Optional(addressSchema('The wallet of the API key; no other is shown.')),
  ...chainIdProperty,
}

/** Whose account is asked for. Throws `key_not_bound`, `user_not_bound` and `chain_id_differs`. */
export function traderOf(
  { chainId }: Pick<PerpContext, 'chainId'>,
  caller: Caller,
  query: { readonly address?: string; readonly chainId?: number },
): Hex {
  checkChainId(chainId, query)
  const wallet = boundUser(caller)
  return query.address === undefined ? wallet : requireBoundUser(caller, query.address, 'address')
}
