import Type from 'typebox'
import { addressSchema } from '../http/schemas.ts'
import { EXPECTED } from '../http/validation.ts'
import { AppError } from '../lib/errors.ts'
import { perpReasons } from './reasons.ts'

// Pieces of the wire's schemas that several operations use. Source: perp-api 1.6, 2A.

export const symbolSchema = Type.String({
  pattern: '^[A-Za-z0-9._-]{1,32}/[A-Za-z0-9._-]{1,32}$',
  [EXPECTED]: 'a symbol such as BTC/USDC',
  description: 'The instrument, BASE/QUOTE.',
})

/** Accepted in every query; it must be the chain of the venue, which X-Chain-Id names too. */
export const chainIdProperty = { chainId: Type.Optional(Type.Integer({ minimum: 1, description: 'The chain’s id.' })) }

/** Accepted in queries about a wallet; it must be the key's own. */
export const addressProperty = { address: Type.Optional(addressSchema('The wallet; that of the API key.')) }

/** Market calls are about the perpetual unless they say otherwise. */
export const expiryProperty = {
  expiry: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 4_294_967_295,
      description: 'Unix seconds; 4294967295, the default, is the perpetual.',
    }),
  ),
}

/** Throws `chain_id_differs` where a query names another chain. */
export function checkChainId(chainId: number, { chainId: given }: { readonly chainId?: number }): void {
  if (given === undefined || given === chainId) return
  throw new AppError(
    perpReasons.chain_id_differs,
    `chainId must be ${chainId}, which this venue serves; it was ${given}`,
  )
}
