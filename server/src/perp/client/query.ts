import Type from 'typebox'
import { EXPECTED } from '../../http/validation.ts'
import { chainIdProperty } from '../schemas.ts'

// Parameters that the published client sends with its reads (perp-api 8).

const addressSchema = (what: string) =>
  Type.String({
    pattern: '^0x[0-9a-fA-F]{40}$',
    [EXPECTED]: `the address of ${what}`,
    description: `Address of ${what}.`,
  })

const expirySchema = Type.Integer({
  minimum: 1,
  maximum: 4_294_967_295,
  description: 'Unix seconds; 4294967295 is the perpetual.',
})

/** A pair, as some reads name it. */
export const byInstrument = { instrument: addressSchema('an instrument'), expiry: expirySchema }
/** A pair, as the others do. */
export const byAddress = { address: addressSchema('an instrument'), expiry: expirySchema }
export const instrumentAddress = { address: addressSchema('an instrument') }
/** Any account, whoever asks: what it holds and did is public on the chain. */
export const ofUser = { userAddress: addressSchema('an account') }
const userAddress = { userAddress: Type.Optional(addressSchema('an account')) }

/** A signed whole number of up to 38 digits as text. */
export const sizeSchema = (description: string) =>
  Type.String({ pattern: '^-?\\d{1,38}$', [EXPECTED]: 'a whole number with 18 decimals', description })

/** A pair, an account and a size, as the whole context of a pair is asked for. */
export const contextQuery = Type.Object({
  ...byInstrument,
  ...userAddress,
  signedSize: Type.Optional(sizeSchema('Base with 18 decimals, positive buys; without it there is no quotation.')),
  ...chainIdProperty,
})

export const PAIR_EXAMPLE = {
  instrument: '0x73ada1ea346cc3908f41cf67a040f0acd7808be0',
  expiry: 4_294_967_295,
  chainId: 31_337,
}
