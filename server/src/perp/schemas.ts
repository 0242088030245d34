import Type from 'typebox'
import { EXPECTED } from '../http/validation.ts'
import { AppError } from '../lib/errors.ts'
import { perpReasons } from './reasons.ts'

// Pieces of the wire's schemas that several operations use. Source: perp-api 1.6, 2A.

export const symbolSchema = Type.String({
  pattern: '^[A-Za-z0-9._-]{1,32}/[A-Za-z0-9._-]{1,32}$',
  [EXPECTED]: 'a symbol such as BTC/USDC',
  description: 'The instrument, BASE/QUOTE.',
})

/** As a body names the instrument that something is done on: of several with one symbol the address says which. */
export const instrumentSchema = Type.String({
  pattern: '^(0x[0-9a-fA-F]{40}|[A-Za-z0-9._-]{1,32}/[A-Za-z0-9._-]{1,32})$',
  [EXPECTED]: 'an instrument: its symbol such as BTC/USDC, or its address',
  description:
    'The instrument, BASE/QUOTE, or its address. A symbol that several have is the first one that was created.',
})

/** A whole number with 18 decimals, as text. */
export const wad = (description: string) => Type.String({ description: `${description}, 18 decimals.` })

/** The block that a part of an answer describes. */
export const blockInfoSchema = Type.Object({
  height: Type.Integer(),
  timestamp: Type.Integer({ description: 'Unix seconds.' }),
})

/** Accepted in every query; it must be the chain of the venue, which X-Chain-Id names too. */
export const chainIdProperty = { chainId: Type.Optional(Type.Integer({ minimum: 1, description: 'The chain’s id.' })) }

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

/** A Unix second that every part of the venue can take for a time. */
export const timeSchema = (description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: 9_999_999_999,
    [EXPECTED]: 'a Unix time in seconds',
    description: `${description}, Unix seconds.`,
  })

/** Refuses a range that ends before it begins; `names` are those of its fields. Throws `perp_range_invalid`. */
export function requireTimeRange(
  [start, end]: readonly [start: number | undefined, end: number | undefined],
  [startName, endName]: readonly [string, string],
): void {
  if (start === undefined || end === undefined || start <= end) return
  const message = `${startName} must not be after ${endName}, got ${start} and ${end}`
  throw new AppError(perpReasons.perp_range_invalid, message, { detail: { field: startName } })
}
