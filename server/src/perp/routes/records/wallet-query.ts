import Type, { type Static } from 'typebox'
import type { Hex } from '../../../chain/types.ts'
import { addressSchema } from '../../../http/schemas.ts'
import type { Asked } from '../../portfolio/records.ts'
import { perpReasons } from '../../reasons.ts'
import { chainIdProperty, expiryProperty } from '../../schemas.ts'

// Reads of the published client's own site (perp-api 8): of any account, without a key, limited by the client's address. What stands
// on a chain is public; each is the handler of its keyed operation.

export const walletProperties = { userAddress: addressSchema('A wallet.'), ...chainIdProperty }
export const pairProperties = {
  instrumentAddress: Type.Optional(addressSchema('An instrument; without it, what is told is of all.')),
  ...expiryProperty,
}

export const walletQuery = Type.Object({ ...walletProperties, ...pairProperties })

/** Why what a wallet has may not be given. */
export const WALLET_REASONS = [
  perpReasons.chain_id_differs,
  perpReasons.perp_not_indexed,
  perpReasons.perp_chain_unreachable,
  perpReasons.instrument_unknown,
] as const

/** Whose account, and of which pair alone. */
export const askedBy = ({ userAddress, instrumentAddress, expiry }: Static<typeof walletQuery>): Asked => ({
  trader: userAddress.toLowerCase() as Hex,
  instrumentAddress,
  expiry,
})
